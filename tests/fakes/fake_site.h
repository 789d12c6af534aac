// Machines, wires and a clock that exist in memory: the whole runner runs on them in
// milliseconds, and every call leaves a line in one log, so that the order of things can be
// asserted. Programs are functions registered by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "harness/testbed.h"

namespace fairwire {

class FakeClock final : public Clock {
 public:
  Nanoseconds now() override { return now_ += std::chrono::microseconds(1); }
  void sleep(Nanoseconds duration) override { now_ += duration; }
  Nanoseconds wall() override { return std::chrono::seconds(1'800'000'000) + now_; }

 private:
  Nanoseconds now_{};
};

class FakeMachine;
/// What a program does and how it ends; `started` and `ended` are filled in by the machine.
using FakeProgram = std::function<ExecReport(FakeMachine&, const ExecSpec&)>;

/// What fairwire's own probes read on this site.
struct FakeFigures {
  Nanoseconds round_trip = std::chrono::milliseconds(80);
  int64_t goodput = 4'700'000;     ///< bytes/s
  std::vector<int64_t> then = {};  ///< of the first probes in turn, before `goodput` holds
};

struct FakeSite {
  FakeSite();

  FakeClock clock;
  std::vector<std::string> log;  ///< "writer start tool-writer-serve", …
  std::map<std::string, FakeProgram> programs;
  std::map<std::string, std::map<std::string, std::string>> stores;  ///< survive fresh machines
  std::string throw_at;                          ///< a log line that becomes a ProtocolError
  std::map<std::string, FakeMachine*> machines;  ///< that are alive
  int wires_alive = 0;
  bool meters_run_backwards = false;
  bool servers_go_on = false;   ///< wait() finds what is called …-serve running
  std::optional<bool> answers;  ///< whether each reading finds one more answered connection
  int64_t answered = 0;
  int64_t meter_reads = 0;
  FakeFigures figures;
  std::vector<NetworkConditions> conditions;  ///< of every wire that was laid
  std::string refuse_congestion;              ///< laying a wire with it throws

  Builders builders();
  void note(const std::string& line);
};

class FakeMachine final : public Machine {
 public:
  FakeMachine(FakeSite& site, const MachineSpec& spec);
  ~FakeMachine() override;

  const MachineInfo& info() const override { return info_; }
  int start(const ExecSpec& spec) override;
  std::optional<ExecReport> wait(int handle, Nanoseconds timeout) override;
  ExecReport stop(int handle, Nanoseconds grace) override;
  void signal(int handle, int signal_number) override;
  MeterReading meter(bool reset_peak) override;
  bool wait_for_tcp(const std::string& host, int port, Nanoseconds timeout) override;
  bool wait_for_file(const std::string& path, Nanoseconds timeout) override;
  int free_port() override { return 7000; }
  void put(const std::string& path, const std::string& bytes, unsigned mode) override;
  std::string fetch(const std::string& path, const std::string& local, int64_t most_bytes) override;
  std::optional<std::string> get(const std::string& path, int64_t limit) override;
  void make_directory(const std::string& path) override;
  void remove(const std::string& path) override;
  TreeSummary make_dataset(const Json& spec, uint64_t seed, const std::string& path) override;
  int64_t mutate(const Json& script, uint64_t seed, const std::string& path) override;
  TreeSummary manifest(const std::string& path, const std::string& out, bool hash) override;
  Nanoseconds sync(const std::string& path) override;
  std::string drop_caches() override;
  std::string count_calls() override;
  Json resolve_program(const std::string& name) override;

  /// Files by absolute path; a path that ends in '/' is a folder.
  std::map<std::string, std::string>& files() { return files_; }
  /// Everything beneath `from` (on `source`) copied beneath `to` here.
  void copy_tree(const FakeMachine& source, const std::string& from, const std::string& to);
  FakeSite& site() { return site_; }

 private:
  FakeSite& site_;
  MachineInfo info_;
  std::map<std::string, std::string> files_;
  std::vector<ExecReport> reports_;
  std::vector<std::string> names_;
};

/// A program that takes 5 ms and ends with `exit_code`.
FakeProgram ends_with(int exit_code);

}  // namespace fairwire
