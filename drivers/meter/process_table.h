// Reading /proc. Every function takes a process that may end while it is read: what is gone reads
// as nothing, never as an error.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace fairwire {

struct ProcessStat {
  pid_t parent = 0;
  char state = '?';
  int64_t user_us = 0;  ///< with the children it waited for; known in clock ticks
  int64_t system_us = 0;
  uint64_t start_ticks = 0;  ///< since boot; with the pid it names a process until reboot

  bool alive() const { return state != 'Z' && state != 'X'; }
};

struct DiskBytes {
  int64_t read = 0;
  int64_t written = 0;
  int64_t handed_over = 0;  ///< by write calls, wherever to: a RAM disk, a pipe, a socket
};

struct Switches {
  int64_t voluntary = 0;
  int64_t involuntary = 0;
};

/// A small file of /proc or a control group as it is; nullopt when it cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

/// The content of /proc/PID/stat, whose second field may hold spaces and parentheses.
std::optional<ProcessStat> parse_process_stat(const std::string& text);
std::optional<ProcessStat> process_stat(pid_t pid);
/// The kernel's short name ("rsync"), without its newline.
std::string process_name(pid_t pid);
/// Resident pages that belong to no file and no shared memory (RssAnon); 0 when gone.
int64_t anonymous_bytes(pid_t pid);
/// Of the process and the children it waited for; readable for a zombie, too.
std::optional<DiskBytes> disk_bytes(pid_t pid);
std::optional<DiskBytes> disk_bytes(const FileDescriptor& proc_io);
/// Context switches of its live threads; those of ended threads are known when it is reaped.
Switches context_switches(pid_t pid);
/// The value of a variable in the environment it was started with.
std::optional<std::string> start_variable(pid_t pid, const std::string& key);

/// All processes of this PID namespace.
std::vector<pid_t> all_processes();
/// Parents before children, `root` left out.
std::vector<pid_t> descendants(pid_t root);

/// Whether one of the processes holds an internet socket that is not confined to loopback.
bool hold_network_socket(const std::vector<pid_t>& pids);

}  // namespace fairwire
