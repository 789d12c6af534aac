// The harness's end of an agent: every machine kind is this class over another way of starting
// the agent (a child, a child in fresh namespaces, an ssh session).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "drivers/machine.h"
#include "drivers/subprocess.h"

namespace fairwire {

/// How an agent was started; dropping it ends the agent: its input is closed, it is given
/// `goodbye` to clean up, then the launcher is killed, then `after` gives back what was taken.
struct AgentLink {
  FileDescriptor to_agent;
  FileDescriptor from_agent;
  std::unique_ptr<Subprocess> launcher;
  std::function<void()> after;
  Nanoseconds goodbye = std::chrono::seconds(5);
  std::string early_errors;  ///< path of a file with the launcher's stderr, for messages
};

struct MachineSetup {
  std::string name;
  std::string kind;
  std::string address;
  int namespace_pid = 0;
  Json connection;  ///< how it was reached, for the record: becomes info().host's "connection"
  Nanoseconds call_timeout = std::chrono::seconds(60);  ///< of calls that are not long by nature
};

/// Waits for programs, trees and files throw Interrupted once a signal has arrived
/// (drivers/interrupt.h); short calls, stop() and remove() do not, so that what unwinds can still
/// clean up. An agent that is gone, silent for too long, or off the protocol is a ProtocolError
/// with the machine's name, the call, and what the agent's stderr said.
class AgentMachine final : public Machine {
 public:
  /// Waits for the agent's hello; throws ProtocolError with what was printed instead.
  AgentMachine(AgentLink link, MachineSetup setup);
  ~AgentMachine() override;

  const MachineInfo& info() const override;
  int start(const ExecSpec& spec) override;
  std::optional<ExecReport> wait(int handle, Nanoseconds timeout) override;
  ExecReport stop(int handle, Nanoseconds grace) override;
  void signal(int handle, int signal_number) override;
  MeterReading meter(bool reset_peak) override;
  bool wait_for_tcp(const std::string& host, int port, Nanoseconds timeout) override;
  bool wait_for_file(const std::string& path, Nanoseconds timeout) override;
  int free_port() override;
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

 private:
  enum class Patience { stubborn, interruptible };
  Json call(std::string_view method, Json params, Nanoseconds timeout,
            Patience patience = Patience::stubborn);
  JsonView view(const Json& answer) const;

  class Connection;
  std::unique_ptr<Connection> connection_;
  MachineInfo info_;
  Nanoseconds call_timeout_;
};

}  // namespace fairwire
