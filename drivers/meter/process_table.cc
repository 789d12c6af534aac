#include "drivers/meter/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <map>
#include <memory>
#include <sstream>

#include "base/file_descriptor.h"

namespace fairwire {
namespace {

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + '/' + file;
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// A file of one line, which /proc gives whole in one read.
std::optional<std::string> read_line_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[2048];
  const ssize_t count = file.is_open() ? ::read(file.get(), buffer, sizeof buffer) : -1;
  if (count < 0) return std::nullopt;
  return std::string(buffer, static_cast<size_t>(count));
}

// The numbers among the names of a folder: processes of /proc, threads of /proc/PID/task.
std::vector<pid_t> numbered_entries(const std::string& path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    const std::string_view name(entry->d_name);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

// nullopt where the kernel has no such file (CONFIG_PROC_CHILDREN).
std::optional<std::vector<pid_t>> listed_children(pid_t pid) {
  std::vector<pid_t> children;
  bool readable = false;
  for (const pid_t thread : numbered_entries(proc_path(pid, "task"))) {
    const auto text =
        read_small_file(proc_path(pid, "task/") + std::to_string(thread) + "/children");
    if (!text) continue;
    readable = true;
    std::istringstream words(*text);
    for (pid_t child = 0; words >> child;) children.push_back(child);
  }
  if (!readable) return std::nullopt;
  return children;
}

std::vector<pid_t> descendants_by_scan(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes()) {
    if (const auto stat = process_stat(pid)) children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found{root};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0) return std::nullopt;  // ESRCH: the process ended between open and read
    if (count == 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

std::optional<ProcessStat> parse_process_stat(const std::string& text) {
  const size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(after_name + 1));
  ProcessStat stat;
  std::string skipped;
  uint64_t ticks[4] = {};
  words >> stat.state >> stat.parent;  // fields 3 and 4 of proc(5)
  for (int field = 5; field <= 13; ++field) words >> skipped;
  for (uint64_t& value : ticks) words >> value;  // 14 to 17: utime stime cutime cstime
  for (int field = 18; field <= 21; ++field) words >> skipped;
  words >> stat.start_ticks;  // 22
  if (!words) return std::nullopt;
  const auto tick_us = static_cast<uint64_t>(1'000'000 / ::sysconf(_SC_CLK_TCK));
  stat.user_us = static_cast<int64_t>((ticks[0] + ticks[2]) * tick_us);
  stat.system_us = static_cast<int64_t>((ticks[1] + ticks[3]) * tick_us);
  return stat;
}

std::optional<ProcessStat> process_stat(pid_t pid) {
  const auto text = read_line_file(proc_path(pid, "stat"));
  return text ? parse_process_stat(*text) : std::nullopt;
}

std::string process_name(pid_t pid) {
  std::string name = read_line_file(proc_path(pid, "comm")).value_or("");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

int64_t anonymous_bytes(pid_t pid) {
  const auto text = read_line_file(proc_path(pid, "statm"));
  if (!text) return 0;
  int64_t size = 0;
  int64_t resident = 0;
  int64_t shared = 0;
  std::istringstream(*text) >> size >> resident >> shared;
  static const int64_t page = ::sysconf(_SC_PAGESIZE);
  return (resident - shared) * page;
}

std::optional<DiskBytes> disk_bytes(pid_t pid) {
  return disk_bytes(FileDescriptor(::open(proc_path(pid, "io").c_str(), O_RDONLY | O_CLOEXEC)));
}

std::optional<DiskBytes> disk_bytes(const FileDescriptor& proc_io) {
  char buffer[1024];  // seven short lines
  const ssize_t size = ::pread(proc_io.get(), buffer, sizeof buffer, 0);
  if (size <= 0) return std::nullopt;
  DiskBytes bytes;
  std::istringstream words(std::string(buffer, static_cast<size_t>(size)));
  std::string key;
  for (int64_t value = 0; words >> key >> value;) {
    if (key == "read_bytes:") bytes.read = value;
    if (key == "write_bytes:") bytes.written = value;
    if (key == "wchar:") bytes.handed_over = value;
  }
  return bytes;
}

Switches context_switches(pid_t pid) {
  Switches sum;
  for (const pid_t thread : numbered_entries(proc_path(pid, "task"))) {
    const auto text = read_small_file(proc_path(pid, "task/") + std::to_string(thread) + "/status");
    const auto value = [&](const std::string& key) -> int64_t {
      const size_t at = text ? text->find("\n" + key + ":\t") : std::string::npos;
      return at == std::string::npos ? 0 : std::stoll(text->substr(at + key.size() + 3));
    };
    sum.voluntary += value("voluntary_ctxt_switches");
    sum.involuntary += value("nonvoluntary_ctxt_switches");
  }
  return sum;
}

std::optional<std::string> start_variable(pid_t pid, const std::string& key) {
  const auto text = read_small_file(proc_path(pid, "environ"));
  if (!text) return std::nullopt;
  const std::string prefix = key + '=';
  std::string_view left = *text;
  while (!left.empty()) {
    const std::string_view variable = left.substr(0, left.find('\0'));
    if (variable.starts_with(prefix)) return std::string(variable.substr(prefix.size()));
    left.remove_prefix(std::min(left.size(), variable.size() + 1));
  }
  return std::nullopt;
}

std::vector<pid_t> all_processes() {
  return numbered_entries("/proc");
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found{root};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto children = listed_children(found[i]);
    if (!children && i == 0) return descendants_by_scan(root);
    if (children) found.insert(found.end(), children->begin(), children->end());
  }
  found.erase(found.begin());
  return found;
}

}  // namespace fairwire
