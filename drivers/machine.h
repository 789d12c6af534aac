// A machine: a place with an agent (docs/agent.md). Everything the harness does to a machine goes
// through this interface, so a plan runs alike on namespaces, ssh hosts and cloud machines, and
// the whole runner runs on fakes.
// Invariants: times are the machine's own CLOCK_MONOTONIC; commands are argv; whatever a machine
// started or made is gone when the object is gone, also after a crash of either side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace fairwire {

/// What ends the time of a program that would go on: the first of these that is asked for and seen.
struct Until {
  bool answered = false;  ///< payload arrived on a TCP connection that began after the program
  std::string output;     ///< POSIX extended expression, searched in what it says; empty: not asked
  bool any() const { return answered || !output.empty(); }
  bool operator==(const Until&) const = default;
};

/// One program to run. Standard input is /dev/null; the environment is clean (PATH, HOME,
/// LC_ALL=C.UTF-8) plus `environment`; it gets its own process group and control group.
struct ExecSpec {
  std::string name;  ///< names the logs: {work}/logs/NAME.out and NAME.err; [a-z0-9._-]+
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;                       ///< working directory; empty: the machine's work
  std::string stdout_path;                     ///< empty: the log
  Nanoseconds deadline = Nanoseconds::zero();  ///< zero: none
  Nanoseconds stall = Nanoseconds::zero();     ///< no wire bytes, disk bytes or CPU; zero: off
  Until until;                                 ///< the program is stopped when it is seen
};

enum class ExecEnd { exited, signalled, deadline, stalled, stopped, not_started };

/// What became of a program.
struct ExecReport {
  ExecEnd end = ExecEnd::not_started;
  int exit_code = -1;  ///< of ExecEnd::exited
  int signal = 0;      ///< of ExecEnd::signalled, and of those the agent ended
  Nanoseconds started{};
  Nanoseconds ended{};
  Nanoseconds reached{};  ///< when `until` was seen; zero: never
  int64_t user_us = 0;    ///< wait4: the process and the descendants it waited for
  int64_t system_us = 0;
  int64_t largest_rss_bytes = 0;            ///< ru_maxrss of the largest single process
  std::vector<std::string> left_processes;  ///< names of descendants alive when it ended
  std::string why_not_started;              ///< "No such file or directory", …
};

/// Byte counters of one network interface, from the machine's own view.
struct InterfaceCount {
  std::string name;
  int64_t received_bytes = 0;
  int64_t sent_bytes = 0;
  int64_t received_packets = 0;
  int64_t sent_packets = 0;
  int64_t dropped_packets = 0;

  bool operator==(const InterfaceCount&) const = default;
};

/// What else went on: of the whole host, since its start; -1: its kernel does not tell.
struct HostLoad {
  int64_t steal_us = -1;         ///< CPU time that the hypervisor gave to others
  int64_t cpu_pressure_us = -1;  ///< time in which some task waited for it (PSI "some")
  int64_t io_pressure_us = -1;
  int64_t memory_pressure_us = -1;

  bool operator==(const HostLoad&) const = default;
};

/// Cumulative meters of everything ever started on the machine (the agent itself excluded).
struct MeterReading {
  Nanoseconds at{};
  int64_t cpu_user_us = -1;  ///< -1: this method does not split
  int64_t cpu_system_us = -1;
  int64_t cpu_total_us = -1;          ///< -1: not measured
  std::string cpu_method;             ///< "cgroup2", "cpuacct", "wait4" or "none"
  int64_t peak_anonymous_bytes = -1;  ///< highest polled sum since the last reset
  int64_t memory_period_ms = 0;       ///< of the polling
  int64_t disk_read_bytes = 0;        ///< -1: not counted
  int64_t disk_written_bytes = 0;
  std::vector<InterfaceCount> interfaces;  ///< loopback left out
  int64_t voluntary_switches = 0;          ///< context switches of tools
  int64_t involuntary_switches = 0;
  int64_t fsyncs = -1;  ///< calls of the fsync family by tools; -1: not counted
  // TCP connections since the last reset; -1: the agent may not ask for them.
  int64_t connections = -1;
  int64_t retransmissions = -1;
  int64_t answered = -1;                      ///< connections on which payload arrived
  int64_t payload_received_bytes = -1;        ///< TCP payload that arrived on them
  std::map<std::string, int64_t> congestion;  ///< algorithm → connections
  HostLoad load;
};

/// What the agent says of its machine when it starts.
struct MachineInfo {
  std::string name;       ///< in the testbed
  std::string kind;       ///< local, netns, ssh
  std::string work;       ///< absolute folder, emptied for each trial
  std::string store;      ///< absolute folder for data sets, kept for the session
  std::string self;       ///< absolute path of the fairwire binary on that machine
  std::string address;    ///< at which its peers reach it; empty when it has none
  int namespace_pid = 0;  ///< a process in its network namespace, as this host sees it; 0: none
  Json host;              ///< kernel, CPU, memory, sysctls …: goes into the record as it is
};

/// A tree as its manifest sums it up; `digest` is the manifest file's SHA-256, in hex.
struct TreeSummary {
  int64_t entries = 0;
  int64_t files = 0;
  int64_t bytes = 0;  ///< logical sizes of distinct inodes
  std::string digest;
  int64_t allocated_bytes = -1;  ///< what those occupy on that file system; -1: nobody looked
  std::string root = {};         ///< Merkle root of a full manifest, in hex; empty: of no manifest
};

class Machine {
 public:
  virtual ~Machine() = default;

  virtual const MachineInfo& info() const = 0;

  /// Starts a program and returns its handle; a program that cannot be started is reported by
  /// wait() as not_started, never thrown.
  virtual int start(const ExecSpec& spec) = 0;
  /// The report, or nullopt when it still runs after `timeout`.
  virtual std::optional<ExecReport> wait(int handle, Nanoseconds timeout) = 0;
  /// SIGTERM to the group, after `grace` SIGKILL to everything in its control group; what was
  /// over before is reported as it ended.
  virtual ExecReport stop(int handle, Nanoseconds grace) = 0;
  /// Sends a signal to the program's whole control group (events: stop, pause, kill).
  virtual void signal(int handle, int signal_number) = 0;

  virtual MeterReading meter(bool reset_peak) = 0;

  /// True once a TCP connection to host:port succeeds; false after `timeout`.
  virtual bool wait_for_tcp(const std::string& host, int port, Nanoseconds timeout) = 0;
  /// True once `path` exists; false after `timeout`.
  virtual bool wait_for_file(const std::string& path, Nanoseconds timeout) = 0;
  /// A TCP port that nothing listens on.
  virtual int free_port() = 0;

  virtual void put(const std::string& path, const std::string& bytes, unsigned mode) = 0;
  /// The last `limit` bytes at most; nullopt when there is no such file.
  virtual std::optional<std::string> get(const std::string& path, int64_t limit) = 0;
  /// Copies a file to `local` on this host, a piece at a time; its SHA-256 in hex, empty when there
  /// is no such file. Throws ProtocolError when it is longer than `most_bytes`, or shrank
  /// meanwhile.
  virtual std::string fetch(const std::string& path, const std::string& local,
                            int64_t most_bytes) = 0;
  virtual void make_directory(const std::string& path) = 0;  ///< with its parents
  virtual void remove(const std::string& path) = 0;          ///< a tree too; absent is fine

  /// Makes the data set of `spec` (docs/dataset.md) at `path`, which must not exist.
  virtual TreeSummary make_dataset(const Json& spec, uint64_t seed, const std::string& path) = 0;
  /// Applies a mutation script (docs/dataset.md) to a tree; how many bytes are new in it.
  virtual int64_t mutate(const Json& script, uint64_t seed, const std::string& path) = 0;
  /// Writes the tree's manifest (docs/manifest.md) to `out`. Without `hash` no content is read:
  /// sizes, modes and times only, for a cheap "has anything changed".
  virtual TreeSummary manifest(const std::string& path, const std::string& out, bool hash) = 0;
  /// syncfs of the file system that holds `path`; how long it took.
  virtual Nanoseconds sync(const std::string& path) = 0;
  /// Drops the page cache where allowed; why not, or empty.
  virtual std::string drop_caches() = 0;
  /// From now on the meter has `fsyncs`; why not, or empty. It makes system calls of the host
  /// slower.
  virtual std::string count_calls() = 0;
  /// The executable a name resolves to on this machine: {path, sha256}, or null.
  virtual Json resolve_program(const std::string& name) = 0;
};

std::string to_string(ExecEnd end);
std::optional<ExecEnd> exec_end_from(std::string_view word);

}  // namespace fairwire
