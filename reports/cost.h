// What the trials of a cell cost: CPU and memory of each machine, bytes on the wire each way.
// Invariant: a meter that was not there gives nullopt, never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/record.h"

namespace fairwire {

/// What a cell cost one machine: medians over the counted trials, memory the largest.
struct MachineCost {
  std::string machine;
  std::string role;
  std::string cpu_method;
  std::optional<double> cpu_user_s;
  std::optional<double> cpu_system_s;
  std::optional<double> cpu_total_s;
  std::optional<double> peak_anonymous_bytes;
  int64_t memory_period_ms = 0;
  std::optional<double> largest_rss_bytes;  ///< of a single process
  std::optional<double> prepare_wall_s;     ///< before the clock; nullopt when nothing was done
  std::optional<double> prepare_cpu_s;
  // Counted by the kernel; nullopt where it does not, or not for this user.
  std::optional<double> connections;
  std::optional<double> retransmissions;  ///< segments
  std::optional<double> wakeups;          ///< voluntary context switches of the tools
  std::optional<double> fsyncs;           ///< calls of the fsync family
};

/// Medians over trials; both or neither.
struct WireCost {
  std::optional<double> there_bytes;  ///< into the readers (without one: out of the writers)
  std::optional<double> back_bytes;   ///< the other direction
};

/// In the order in which the machines first appear.
std::vector<MachineCost> machine_costs(const std::vector<const TrialRecord*>& trials);

/// From the pairs of the wire; when it cannot tell pairs apart, from the machines' own interface
/// counters, where what readers send each other then counts in both directions.
WireCost wire_cost(const std::vector<const TrialRecord*>& trials);

}  // namespace fairwire
