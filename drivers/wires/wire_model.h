// From options that name machines to the model that counts them: names resolved, queues that were
// not given made one bandwidth-delay product.
#pragma once

#include <string>

#include "base/json.h"
#include "drivers/wires/emulator.h"
#include "drivers/wires/tun_wire.h"

namespace fairwire {

/// A full segment on the wire: 1500 bytes of IP and the framing; its payload with time stamps.
constexpr int64_t kFullSegment = 1500 + kFramingBytes;
constexpr int64_t kFullPayload = 1448;
constexpr int64_t kLeastQueue = 32 * kFullSegment;
/// A host hands over super-packets of 44 segments at once: a fast link must hold more than one.
constexpr Nanoseconds kLeastQueueTime = std::chrono::milliseconds(1);

/// Throws std::invalid_argument naming what is wrong.
WireModel wire_model(const std::vector<WireEnd>& ends, const TunWireOptions& options);

/// Goodput that the slowest of the three stages allows; 0: none is limited.
int64_t theory_of(const WireModel& model, size_t from, size_t to);

/// {"access":[…],"paths":[…]} with the queues as they are, for the record.
Json model_json(const WireModel& model, const std::vector<WireEnd>& ends);

}  // namespace fairwire
