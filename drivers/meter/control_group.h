// Control groups, made and removed. Only what needs no controller is used: membership, cpu.stat
// (version 2), cpuacct.usage (version 1), cgroup.kill where the kernel has it.
// Invariant: a ControlGroup object kills and removes the group it made.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace fairwire {

/// Our own group's folder in the version 2 hierarchy ("cgroup2") or in version 1's "cpuacct";
/// nullopt when it is not mounted or not writable for us.
std::optional<std::string> writable_own_group(const std::string& kind);
/// Where a hierarchy is mounted, whether writable or not.
std::optional<std::string> hierarchy_mount(const std::string& kind);

/// Processes in a group and the groups beneath it.
std::vector<pid_t> group_members(const std::string& path);
/// SIGKILL to all of them, once; those that fork meanwhile need another call.
void kill_group(const std::string& path);
/// Kills what is in it and removes it with all beneath; gives up after `patience_ms`. True when
/// it is gone.
bool remove_group(const std::string& path, int patience_ms);

class ControlGroup {
 public:
  /// Makes PATH, or PATH.2, PATH.3 … when that exists. Throws SystemError.
  explicit ControlGroup(const std::string& path);
  ~ControlGroup();
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fairwire
