// What befalls the n-th segment of a path, by seed and number alone: the same for every tool of a
// round.
#pragma once

#include <cstdint>

#include "drivers/wires/emulator.h"

namespace fairwire {

/// What is drawn of a path, each from numbers of its own.
enum class Luck : uint64_t { loss = 0, jitter = 1, burst = 2 };

/// 0 ≤ share < 1.
double drawn_share(const PathModel& model, Luck luck, uint64_t number);
/// 0 … the path's jitter.
Nanoseconds drawn_jitter(const PathModel& model, uint64_t number);

}  // namespace fairwire
