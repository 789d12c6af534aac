// The agent's helper processes: a call that may take long runs in a fork of the agent, so that the
// loop goes on, a crash in a tree walk costs one call, and the end of input can kill it at once
// (a thread cannot be killed). Invariant: no helper outlives this object.
#pragma once

#include <poll.h>

#include <functional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/json.h"
#include "drivers/meter/tool_groups.h"

namespace fairwire {

class AgentWorkers {
 public:
  /// Descriptors that a helper must not hold: the agent's input and output.
  AgentWorkers(ToolGroups& groups, std::vector<int> closed_in_helpers);
  ~AgentWorkers();

  /// Runs `job` in a helper; its value, or what it throws, becomes the answer to call `id`.
  void start(int64_t id, const std::function<Json()>& job);
  void add_to_poll(std::vector<pollfd>& table) const;
  /// The answer lines of helpers that are through.
  std::vector<std::string> collect();
  /// True when `pid` was a helper; it is reaped then.
  bool reap(pid_t pid);
  void kill_all();

 private:
  struct Worker {
    int64_t id = 0;
    pid_t pid = -1;
    bool reaped = false;
    FileDescriptor pipe;
    std::string line;
  };

  void read_line(Worker& worker);

  ToolGroups& groups_;
  std::vector<int> closed_in_helpers_;
  std::vector<Worker> workers_;
};

}  // namespace fairwire
