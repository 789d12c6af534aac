#include "drivers/meter/tool_groups.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <sstream>

#include "base/error.h"
#include "base/log.h"

namespace fairwire {
namespace {

int64_t micros(const timeval& time) {
  return time.tv_sec * int64_t{1'000'000} + time.tv_usec;
}

CpuTime read_cpu_stat(const std::string& group) {
  CpuTime cpu;
  std::istringstream words(read_small_file(group + "/cpu.stat").value_or(""));
  std::string key;
  for (int64_t value = 0; words >> key >> value;) {
    if (key == "usage_usec") cpu.total_us = value;
    if (key == "user_usec") cpu.user_us = value;
    if (key == "system_usec") cpu.system_us = value;
  }
  return cpu;
}

CpuTime read_cpuacct(const std::string& group) {
  CpuTime cpu;
  int64_t ns = 0;
  std::istringstream words(read_small_file(group + "/cpuacct.usage").value_or(""));
  if (words >> ns) cpu.total_us = ns / 1000;
  return cpu;
}

std::vector<pid_t> only_alive(std::vector<pid_t> pids) {
  std::erase_if(pids, [](pid_t pid) {
    const auto stat = process_stat(pid);
    return !stat || !stat->alive();
  });
  return pids;
}

// The group with its "tools" beneath, or nothing when this hierarchy cannot be had.
std::optional<ControlGroup> make_base(const std::string& kind, const std::string& name) {
  const auto own = writable_own_group(kind);
  if (!own) return std::nullopt;
  try {
    ControlGroup base((*own == "/" ? "" : *own) + '/' + name);
    check_system(::mkdir((base.path() + "/tools").c_str(), 0755), "make the control group",
                 base.path() + "/tools");
    return base;
  } catch (const SystemError&) {
    return std::nullopt;  // EROFS, EACCES: the next method
  }
}

}  // namespace

ToolGroups::ToolGroups(const std::string& method, const std::string& group_name)
    : method_("wait4") {
  for (const char* kind : {"cgroup2", "cpuacct"}) {
    if (method != "auto" && method != kind) continue;
    if (auto base = make_base(kind, group_name)) {
      base_.emplace(std::move(*base));
      method_ = kind;
      return;
    }
    if (method == kind) throw SystemError("meter CPU time with", kind, ENOTSUP);
  }
  if (method != "auto" && method != "wait4") throw SystemError("find the meter", method, EINVAL);
}

std::vector<std::string> ToolGroups::open(int handle, const std::string& name) {
  last_handle_ = handle;
  if (!has_groups()) return {};
  const std::string folder = tools() + '/' + std::to_string(handle) + '-' + name;
  check_system(::mkdir(folder.c_str(), 0755), "make the control group", folder);
  folders_[handle] = folder;
  return {folder + "/cgroup.procs"};
}

void ToolGroups::set_main(int handle, pid_t pid) {
  if (!has_groups()) mains_[pid] = handle;
}

bool ToolGroups::close(int handle) {
  std::erase_if(mains_, [handle](const auto& entry) { return entry.second == handle; });
  const auto folder = folders_.find(handle);
  if (folder == folders_.end()) return true;
  if (!remove_group(folder->second, 0)) return false;
  folders_.erase(folder);
  return true;
}

std::vector<pid_t> ToolGroups::members(int handle) {
  std::vector<pid_t> pids;
  if (has_groups()) {
    const auto folder = folders_.find(handle);
    if (folder != folders_.end()) pids = group_members(folder->second);
    return only_alive(std::move(pids));
  }
  for (const auto& [pid, owner] : tools_by_ancestry()) {
    if (owner.handle == handle) pids.push_back(pid);
  }
  return only_alive(std::move(pids));
}

std::vector<pid_t> ToolGroups::all() {
  std::vector<pid_t> pids;
  if (has_groups()) return group_members(tools());
  for (const auto& [pid, owner] : tools_by_ancestry()) pids.push_back(pid);
  return pids;
}

void ToolGroups::kill(int handle) {
  const auto folder = folders_.find(handle);
  if (folder != folders_.end()) return kill_group(folder->second);
  for (const pid_t pid : members(handle)) ::kill(pid, SIGKILL);
}

void ToolGroups::kill_all() {
  if (has_groups()) kill_group(tools());
  // Also what left its group for another: it is still a descendant.
  for (const auto& [pid, owner] : tools_by_ancestry()) ::kill(pid, SIGKILL);
}

std::map<pid_t, ToolGroups::Owner> ToolGroups::tools_by_ancestry() {
  std::map<pid_t, Owner> seen;
  std::set<pid_t> helpers = excluded_;
  for (const pid_t pid : descendants(::getpid())) {
    const auto stat = process_stat(pid);
    if (!stat) continue;
    if (helpers.contains(pid) || helpers.contains(stat->parent)) {
      helpers.insert(pid);
      continue;
    }
    seen[pid] = {owner_of(pid, *stat, seen), stat->start_ticks};
  }
  known_ = seen;
  return seen;
}

int ToolGroups::owner_of(pid_t pid, const ProcessStat& stat,
                         const std::map<pid_t, Owner>& seen) const {
  if (const auto main = mains_.find(pid); main != mains_.end()) return main->second;
  if (const auto parent = seen.find(stat.parent); parent != seen.end()) {
    return parent->second.handle;
  }
  const auto before = known_.find(pid);
  if (before != known_.end() && before->second.start_ticks == stat.start_ticks) {
    return before->second.handle;
  }
  if (const auto text = start_variable(pid, "FAIRWIRE_EXEC")) {
    int handle = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), handle);
    if (error == std::errc() && handle > 0) return handle;
  }
  return last_handle_;  // an orphan with a wiped environment: most likely of the newest
}

void ToolGroups::add_reaped(const rusage& usage) {
  reaped_user_us_ += micros(usage.ru_utime);
  reaped_system_us_ += micros(usage.ru_stime);
}

CpuTime ToolGroups::cpu_by_ancestry() {
  CpuTime cpu{reaped_user_us_, reaped_system_us_, 0};
  for (const auto& [pid, owner] : tools_by_ancestry()) {
    if (const auto stat = process_stat(pid)) {
      cpu.user_us += stat->user_us;
      cpu.system_us += stat->system_us;
    }
  }
  // Live processes are known in ticks, ended ones exactly: a meter must not run backwards.
  cpu.user_us = highest_.user_us = std::max(cpu.user_us, highest_.user_us);
  cpu.system_us = highest_.system_us = std::max(cpu.system_us, highest_.system_us);
  cpu.total_us = cpu.user_us + cpu.system_us;
  return cpu;
}

CpuTime ToolGroups::cpu() {
  if (method_ == "cgroup2") return read_cpu_stat(tools());
  if (method_ == "cpuacct") return read_cpuacct(tools());
  return cpu_by_ancestry();
}

}  // namespace fairwire
