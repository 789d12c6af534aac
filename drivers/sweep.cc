#include "drivers/sweep.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "base/log.h"
#include "base/temp_dir.h"
#include "drivers/meter/control_group.h"
#include "drivers/meter/process_table.h"

namespace fairwire {
namespace {

constexpr std::string_view kPrefix = "fairwire-";
constexpr const char* kFolders = "/dev/shm";

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

struct Token {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
  uint64_t pid_namespace = 0;
};

// Takes a number and, if wanted, the dash after it from the front of `text`.
template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool take_dash(std::string_view& text) {
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

// The token at the front of `text`; what follows it stays in `text`.
std::optional<Token> take_token(std::string_view& text) {
  Token token;
  if (take_number(text, token.pid) && take_dash(text) && take_number(text, token.start_ticks) &&
      take_dash(text) && take_number(text, token.pid_namespace) && token.pid > 0) {
    return token;
  }
  return std::nullopt;
}

uint64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

bool alive(const Token& token) {
  // Of another PID namespace: we cannot see its owner, so it is not ours to judge.
  if (token.pid_namespace != own_pid_namespace()) return true;
  const auto stat = process_stat(token.pid);
  return stat && stat->alive() && stat->start_ticks == token.start_ticks;
}

// "fairwire-TOKEN" or "fairwire-TOKEN-NAME" (or ".2" of a twin) of an owner that is gone.
bool is_leftover(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const auto token = take_token(name);
  return token && (name.empty() || name[0] == '-' || name[0] == '.') && !alive(*token);
}

// Our agents make their groups in the group they run in, wherever that is: look everywhere.
void find_groups(const std::string& path, std::vector<std::string>& found) {
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    const std::string name(entry->d_name);
    if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
    if (is_leftover(name)) {
      found.push_back(path + '/' + name);
    } else if (!name.starts_with(kPrefix)) {
      find_groups(path + '/' + name, found);
    }
  }
}

void sweep_groups(std::vector<std::string>& lines) {
  for (const char* kind : {"cgroup2", "cpuacct"}) {
    const auto mount = hierarchy_mount(kind);
    std::vector<std::string> found;
    if (mount) find_groups(*mount, found);
    for (const std::string& group : found) {
      const size_t count = group_members(group).size();
      const bool gone = remove_group(group, 2000);
      lines.push_back(
          (gone ? "removed the control group " : "could not remove the control group ") + group +
          " with " + std::to_string(count) + " processes");
    }
  }
}

// Kills the processes that were started with a token of which `theirs` is true; `named` are those
// already told of. False when there was none.
bool kill_marked(const std::function<bool(const std::string&)>& theirs,
                 std::vector<std::string>& lines, std::set<pid_t>& named) {
  bool found = false;
  for (const pid_t pid : all_processes()) {
    if (pid == ::getpid()) continue;
    const auto token = start_variable(pid, "FAIRWIRE_TOKEN");
    if (!token || !theirs(*token)) continue;
    const std::string name = process_name(pid);
    if (::kill(pid, SIGKILL) != 0) continue;
    found = true;
    if (named.insert(pid).second) {
      lines.push_back("killed process " + std::to_string(pid) + " (" + printable(name) + ")");
    }
  }
  return found;
}

void kill_all_marked(const std::function<bool(const std::string&)>& theirs,
                     std::vector<std::string>& lines) {
  constexpr int kMostRounds = 100;
  std::set<pid_t> named;
  // Until a look finds none: what was forked during the last one was not in it.
  for (int round = 0; round < kMostRounds && kill_marked(theirs, lines, named); ++round) {
    ::usleep(1000);
  }
}

void sweep_folders(std::vector<std::string>& lines) {
  std::vector<std::string> found;
  {
    const std::unique_ptr<DIR, CloseDir> dir(::opendir(kFolders));
    while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
      if (is_leftover(entry->d_name)) found.push_back(std::string(kFolders) + '/' + entry->d_name);
    }
  }
  for (const std::string& path : found) {
    try {
      remove_tree(path);
      lines.push_back("removed the folder " + path);
    } catch (const std::exception& error) {
      lines.push_back(std::string("could not remove a folder: ") + error.what());
    }
  }
}

}  // namespace

std::string owner_token() {
  const auto stat = process_stat(::getpid());
  return std::to_string(::getpid()) + '-' + std::to_string(stat ? stat->start_ticks : 0) + '-' +
         std::to_string(own_pid_namespace());
}

bool owner_alive(const std::string& token) {
  std::string_view left = token;
  const auto parsed = take_token(left);
  return !parsed || !left.empty() || alive(*parsed);
}

std::vector<std::string> sweep_leftovers() {
  std::vector<std::string> lines;
  sweep_groups(lines);
  const auto orphaned = [](const std::string& text) {
    std::string_view left = text;
    const auto token = take_token(left);
    return token && left.empty() && !alive(*token);
  };
  kill_all_marked(orphaned, lines);  // the folders last: nobody writes into them any more
  sweep_folders(lines);
  return lines;
}

void kill_marked_with(const std::string& token) {
  std::vector<std::string> lines;
  kill_all_marked([&](const std::string& text) { return text == token; }, lines);
}

std::string owner_folder(const std::string& token) {
  return std::string(kFolders) + '/' + std::string(kPrefix) + token;
}

}  // namespace fairwire
