#include "reports/overhead.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace fairwire {
namespace {

const std::set<std::string_view> kOfOthers = {"serve", "warm_up", "stop", "judge"};

// Readers that go at once overlap: from the first one's start to the last one's end on one clock
// would need one; the longest of them is no more than that.
int64_t ops_ns(const TrialRecord& trial) {
  const bool at_once = trial.scenario == "swarm" || trial.scenario == "idle";
  int64_t wall_ns = 0;
  for (const OpRecord& op : trial.ops) {
    wall_ns = at_once ? std::max(wall_ns, op.wall_ns) : wall_ns + op.wall_ns;
  }
  return wall_ns;
}

}  // namespace

std::optional<double> overhead_seconds(const TrialRecord& trial) {
  if (trial.control || trial.phases.empty() || trial.ops.empty()) return std::nullopt;
  int64_t left_ns = trial.phases.back().end_ns - trial.phases.front().start_ns - ops_ns(trial);
  for (const PhaseRecord& phase : trial.phases) {
    if (kOfOthers.contains(phase.name)) left_ns -= phase.end_ns - phase.start_ns;
  }
  for (const MachineRecord& machine : trial.machines) left_ns -= machine.prepare_wall_ns;
  return static_cast<double>(std::max<int64_t>(0, left_ns)) / 1e9;
}

}  // namespace fairwire
