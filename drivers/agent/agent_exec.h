// The programs of an agent, from start to report (docs/agent.md, "Programs"). A pure table of
// states driven by two calls of the agent's loop: reap() when a child ended, tick() when time
// passed. Invariant: an exec is reported only when its end kind is settled, and its group is closed
// only when no process is left in it.
#pragma once

#include <poll.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/agent/stall_watch.h"
#include "drivers/agent/until_watch.h"
#include "drivers/machine.h"
#include "drivers/meter.h"
#include "drivers/meter/tool_groups.h"
#include "drivers/subprocess.h"

namespace fairwire {

/// Where the agent's programs live.
struct AgentPlace {
  std::string work;
  std::string store;
  std::string token;
  std::string path;  ///< PATH
};

class ExecTable {
 public:
  ExecTable(const AgentPlace& place, ToolGroups& groups, Meter& meter);
  ~ExecTable();

  int start(const ExecSpec& spec);
  void signal(int handle, int signal_number);
  void stop(int handle, Nanoseconds grace);

  /// nullptr while it runs. Throws ProtocolError for an unknown handle.
  const ExecReport* report(int handle) const;
  /// Reported, and no process left.
  bool gone(int handle) const;

  void add_to_poll(std::vector<pollfd>& table) const;
  /// True when `pid`, a zombie child, was an exec's main process; it is reaped then.
  bool reap(pid_t pid, Nanoseconds now);
  void tick(Nanoseconds now);
  /// When tick() has something to do; nullopt while nothing of ours runs.
  std::optional<Nanoseconds> next_due() const;

 private:
  struct Exec;

  Exec& find(int handle) const;
  void launch(Exec& exec);
  SpawnOptions spawn_options(const Exec& exec) const;
  void watch(Exec& exec, Nanoseconds now);
  void look_for_end(Exec& exec, Nanoseconds now);
  void settle(Exec& exec, Nanoseconds now);
  void end_by_force(Exec& exec, ExecEnd end);

  const AgentPlace& place_;
  ToolGroups& groups_;
  Meter& meter_;
  std::map<int, std::unique_ptr<Exec>> execs_;
  std::set<int> active_;          // not gone: only these cost anything
  std::optional<Activity> seen_;  // in this tick, for all watchdogs
  Nanoseconds next_poll_{};
  int last_handle_ = 0;
};

}  // namespace fairwire
