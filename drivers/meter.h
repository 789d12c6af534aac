// What the tools of a machine cost: CPU, memory, disk and wire bytes, cumulative over everything
// the agent ever started (docs/agent.md says what each method counts).
// Invariant: polling costs the same for each process, however many came before.
#pragma once

#include <sys/resource.h>

#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "drivers/machine.h"
#include "drivers/meter/call_counter.h"
#include "drivers/meter/connection_watch.h"
#include "drivers/meter/process_table.h"
#include "drivers/meter/tool_groups.h"

namespace fairwire {

inline constexpr std::chrono::milliseconds kMemoryPeriod{20};

/// All interfaces of this network namespace but lo, from text like /proc/net/dev's.
std::vector<InterfaceCount> parse_interfaces(const std::string& text);
std::vector<InterfaceCount> read_interfaces();

/// Steal from /proc/stat, pressure from /proc/pressure, of the host.
HostLoad read_host_load();

/// What the watchdog looks at.
struct Activity {
  int64_t wire_bytes = 0;
  int64_t disk_bytes = 0;
  int64_t written_bytes = 0;  ///< by write calls, which a disk in RAM does not count
  int64_t cpu_us = 0;
};

class Meter {
 public:
  explicit Meter(ToolGroups& groups);

  /// One look at the memory of all tools; to be called every kMemoryPeriod while any lives.
  void poll();
  MeterReading read(bool reset_peak);
  Activity activity();
  /// Counts the fsync family from now on; why not, or empty.
  std::string count_calls();
  /// The agent, or a helper of it, is about to make such a call itself.
  void note_own_call() { ++own_calls_; }
  /// Connections on which payload has arrived by now, since the last reset; -1: not measured.
  int64_t answered();

  /// To be called for each program's first process: an ordinary user may not open the counters
  /// of a zombie, but may read what it opened before.
  void note_started(pid_t pid);
  /// To be called while `pid` is a zombie, right before it is reaped; then with its usage.
  void note_zombie(pid_t pid);
  void note_reaped(const rusage& usage);

 private:
  DiskBytes disk(const std::vector<pid_t>& pids) const;
  Switches switches(const std::vector<pid_t>& pids);
  void read_connections(MeterReading& reading);

  ToolGroups& groups_;
  bool counts_disk_;
  std::map<pid_t, FileDescriptor> disk_files_;  // of first processes, for ordinary users
  int64_t peak_anonymous_ = 0;
  DiskBytes reaped_disk_;
  Switches reaped_switches_;
  Switches highest_switches_;
  std::optional<ConnectionWatch> connections_;  // nothing where the kernel does not let us
  std::optional<CallCounter> calls_;            // only where it was asked for
  int64_t own_calls_ = 0;                       // since it was
  int polls_ = 0;
};

}  // namespace fairwire
