// Which processes belong to which program that the agent started, and their CPU time. With control
// groups the kernel keeps the books; without, ancestry does (docs/agent.md, "Meters").
// Invariant: a process is of exactly one program; the agent and its helpers are of none.
#pragma once

#include <sys/resource.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/meter/control_group.h"
#include "drivers/meter/process_table.h"

namespace fairwire {

struct CpuTime {
  int64_t user_us = -1;  ///< -1: not split
  int64_t system_us = -1;
  int64_t total_us = -1;
};

class ToolGroups {
 public:
  /// `method` as in AgentOptions. Throws SystemError when a named one does not work here.
  ToolGroups(const std::string& method, const std::string& group_name);

  const std::string& method() const { return method_; }

  /// Opens the group of a program; the files into which its first process writes itself.
  std::vector<std::string> open(int handle, const std::string& name);
  /// The first process, for the method that goes by ancestry.
  void set_main(int handle, pid_t pid);
  /// Forgets a group without processes; true unless the kernel still holds it.
  bool close(int handle);

  std::vector<pid_t> members(int handle);  ///< zombies left out
  std::vector<pid_t> all();                ///< of every program
  void kill(int handle);                   ///< SIGKILL, once
  void kill_all();

  CpuTime cpu();
  /// Called with what wait4 said of each process the agent reaped that was a tool's.
  void add_reaped(const rusage& usage);

  /// A helper of the agent: it is no tool, nor is what it starts.
  void exclude(pid_t pid) { excluded_.insert(pid); }
  void forget(pid_t pid) { excluded_.erase(pid); }

 private:
  struct Owner {
    int handle;
    uint64_t start_ticks;  // pids are used again
  };

  bool has_groups() const { return base_.has_value(); }
  std::string tools() const { return base_->path() + "/tools"; }
  std::map<pid_t, Owner> tools_by_ancestry();
  int owner_of(pid_t pid, const ProcessStat& stat, const std::map<pid_t, Owner>& seen) const;
  CpuTime cpu_by_ancestry();

  std::string method_;
  std::optional<ControlGroup> base_;
  std::map<int, std::string> folders_;  // of open groups
  std::map<pid_t, Owner> known_;        // by ancestry: alive when last looked at
  std::map<pid_t, int> mains_;
  std::set<pid_t> excluded_;
  int last_handle_ = 0;
  int64_t reaped_user_us_ = 0;
  int64_t reaped_system_us_ = 0;
  CpuTime highest_{0, 0, 0};
};

}  // namespace fairwire
