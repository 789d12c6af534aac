// What fairwire itself costs beside the tools it runs.
#pragma once

#include <optional>

#include "reports/record.h"

namespace fairwire {

/// Seconds from a trial's first phase to the end of its last, without what it waited for: the ops
/// and their settling, warm-up, the tool's preparation, its servers' start and end, and the judge.
/// Controls have none. nullopt where phases are missing.
std::optional<double> overhead_seconds(const TrialRecord& trial);

}  // namespace fairwire
