#include "harness/trial_flags.h"

#include <algorithm>
#include <cmath>

namespace fairwire {
namespace {

constexpr int64_t kPerConnection = 64 << 10;
constexpr double kSegmentBytes = 1448;
constexpr double kInitialWindow = 10;  // segments

bool disagrees(const TrialRecord& record, const MachineRecord& machine) {
  if (machine.payload_received_bytes < 0 || machine.connections <= 0) return false;
  int64_t counted = 0;
  bool has_counters = false;
  for (const SourceRecord& source : record.sources) {
    if (source.machine != machine.machine) continue;
    has_counters = true;
    if (source.path != "local") counted += source.bytes + source.duplicate_bytes;
  }
  if (!has_counters) return false;
  const int64_t beyond = machine.payload_received_bytes - counted;
  return beyond < 0 || beyond > counted / 50 + kPerConnection * machine.connections;
}

}  // namespace

bool sources_disagree(const TrialRecord& record) {
  if (record.scenario == "resume") return false;  // the run that was killed counts in the kernel
  return std::ranges::any_of(record.machines, [&](const MachineRecord& machine) {
    const auto runs = std::ranges::count(record.ops, machine.machine, &OpRecord::machine);
    return runs == 1 && disagrees(record, machine);
  });
}

Nanoseconds start_up_time(const WireSpec& wire, const std::string& from, const std::string& to) {
  int64_t rate = 0;
  const PathSpec path = wire.path_between(from, to);
  for (const int64_t limit : {wire.access_of(from).up.bits_per_second, path.bits_per_second,
                              wire.access_of(to).down.bits_per_second}) {
    if (limit > 0) rate = rate == 0 ? limit : std::min(rate, limit);
  }
  if (rate == 0) return Nanoseconds::zero();
  const Nanoseconds round_trip = path.delay + wire.path_between(to, from).delay;
  const double seconds = std::chrono::duration<double>(round_trip).count();
  const double segments = static_cast<double>(rate) / 8 * seconds / kSegmentBytes;
  const double doublings = std::max(0.0, std::ceil(std::log2(segments / kInitialWindow)));
  return round_trip * (1 + static_cast<int64_t>(doublings));
}

}  // namespace fairwire
