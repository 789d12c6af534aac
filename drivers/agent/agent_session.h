// One agent at work: the loop and its calls. Single-threaded; what may take long is a helper
// process or a waiter, so that deadlines and stamps are never late. When the object goes,
// everything it started is dead and reaped, whatever ended it.
#pragma once

#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "drivers/agent.h"
#include "drivers/agent/agent_exec.h"
#include "drivers/agent/agent_folders.h"
#include "drivers/agent/agent_protocol.h"
#include "drivers/agent/agent_workers.h"
#include "drivers/meter.h"
#include "drivers/meter/tool_groups.h"

namespace fairwire {

/// Blocks what the agent reads from a signalfd, and undoes it.
class AgentSignals {
 public:
  AgentSignals();
  ~AgentSignals();
  AgentSignals(const AgentSignals&) = delete;
  AgentSignals& operator=(const AgentSignals&) = delete;

  int fd() const { return fd_.get(); }
  /// True when one of those that have arrived asks the agent to end.
  bool read_ending() const;

 private:
  sigset_t before_;
  FileDescriptor fd_;
};

class AgentSession {
 public:
  AgentSession(const AgentOptions& options, TreeService& trees, int input, int output);
  ~AgentSession();

  /// Says hello and serves until the end. Throws what the loop cannot go on from.
  void serve();

 private:
  // A call that is answered when a program has ended.
  struct Waiter {
    int64_t id = 0;
    int handle = 0;
    Nanoseconds until{};
    bool stop = false;  // answered when no process is left
  };

  void send(const Json& message);
  void wait_for_events(std::vector<pollfd>& table) const;
  void reap_children(Nanoseconds now);
  void answer_waiters(Nanoseconds now);
  void read_input();
  void write_output();
  void handle(const std::string& line);

  void dispatch(const AgentCall& call, const JsonView& view);
  bool dispatch_exec(const AgentCall& call, const JsonView& view);
  bool dispatch_short(const AgentCall& call, const JsonView& view);
  bool dispatch_helper(const AgentCall& call, const JsonView& view);
  bool dispatch_tree(const AgentCall& call, const JsonView& view);
  void remove_path(std::string path);

  TreeService& trees_;
  int input_;
  int output_;
  AgentPlace place_;
  AgentSignals signals_;
  AgentFolders folders_;
  ToolGroups groups_;
  Meter meter_;
  ExecTable execs_;
  AgentWorkers workers_;
  LineReader reader_;
  std::string unsent_;
  size_t sent_ = 0;  // of unsent_
  std::vector<Waiter> waiters_;
  std::set<int> given_ports_;
  std::string name_;
  bool ending_ = false;
};

}  // namespace fairwire
