#include "drivers/meter/control_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "drivers/meter/process_table.h"

namespace fairwire {
namespace {

constexpr int kMostTwins = 100;  // groups of one name: leftovers of agents that were killed

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

std::vector<std::string> groups_below(const std::string& path) {
  std::vector<std::string> groups;
  struct stat status {};
  // A folder has a link for each folder in it. Asking first spares most readings of folders, which
  // are dear here: a group holds dozens of files.
  if (::stat(path.c_str(), &status) != 0 || status.st_nlink <= 2) return groups;
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    const std::string name(entry->d_name);
    if (entry->d_type == DT_DIR && name != "." && name != "..") groups.push_back(path + '/' + name);
  }
  return groups;
}

bool holds_word(const std::string& list, const std::string& word) {
  return (',' + list + ',').find(',' + word + ',') != std::string::npos;
}

// Our group's path within a hierarchy, from lines "ID:CONTROLLERS:PATH" ("0::PATH" is version 2).
std::optional<std::string> own_path(const std::string& kind) {
  std::istringstream lines(read_small_file("/proc/self/cgroup").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (kind == "cgroup2" ? line.starts_with("0::") : holds_word(controllers, kind)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

bool try_remove(const std::string& path) {
  for (const std::string& group : groups_below(path)) try_remove(group);
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

std::optional<std::string> hierarchy_mount(const std::string& kind) {
  std::istringstream lines(read_small_file("/proc/self/mounts").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string device, folder, type, options;
    words >> device >> folder >> type >> options;
    if (kind == "cgroup2" ? type == "cgroup2" : type == "cgroup" && holds_word(options, kind)) {
      return folder;
    }
  }
  return std::nullopt;
}

std::optional<std::string> writable_own_group(const std::string& kind) {
  const auto mount = hierarchy_mount(kind);
  const auto own = own_path(kind);
  if (!mount || !own) return std::nullopt;
  // Seen from inside a container our path may lie above its mount: then the mount is our place.
  for (const std::string& path : {*mount + (*own == "/" ? "" : *own), *mount}) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) continue;
    if (::access(path.c_str(), W_OK) != 0) return std::nullopt;
    // A process may only be moved by who may write to the common ancestor's list.
    if (::access((path + "/cgroup.procs").c_str(), W_OK) != 0) return std::nullopt;
    return path;
  }
  return std::nullopt;
}

std::vector<pid_t> group_members(const std::string& path) {
  std::vector<pid_t> members;
  std::istringstream words(read_small_file(path + "/cgroup.procs").value_or(""));
  for (pid_t pid = 0; words >> pid;) {
    if (pid > 0) members.push_back(pid);  // 0: of another PID namespace
  }
  for (const std::string& group : groups_below(path)) {
    const auto more = group_members(group);
    members.insert(members.end(), more.begin(), more.end());
  }
  return members;
}

void kill_group(const std::string& path) {
  const FileDescriptor kill_file(::open((path + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (kill_file.is_open() && ::write(kill_file.get(), "1", 1) == 1) return;
  for (const pid_t pid : group_members(path)) ::kill(pid, SIGKILL);
}

bool remove_group(const std::string& path, int patience_ms) {
  const Nanoseconds until = monotonic_now() + std::chrono::milliseconds(patience_ms);
  while (true) {
    kill_group(path);
    if (try_remove(path)) return true;
    if (monotonic_now() >= until) return false;
    ::usleep(2000);
  }
}

ControlGroup::ControlGroup(const std::string& path) {
  for (int twin = 1; twin <= kMostTwins; ++twin) {
    path_ = twin == 1 ? path : path + '.' + std::to_string(twin);
    if (::mkdir(path_.c_str(), 0755) == 0) return;
    if (errno != EEXIST) break;
  }
  const std::string failed = std::exchange(path_, {});
  throw_system_error("make the control group", failed);
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ControlGroup::~ControlGroup() {
  if (path_.empty()) return;
  try {
    if (!remove_group(path_, 2000)) log_warning("the control group " + path_ + " stays");
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

}  // namespace fairwire
