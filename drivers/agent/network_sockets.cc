#include <dirent.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <unordered_set>

#include "drivers/meter/process_table.h"

namespace fairwire {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// Addresses in /proc/net are 32-bit words in host order, in hex: 127.0.0.1 reads 0100007F.
bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.find(':'));
  if (host.size() == 8) return host.ends_with("7F");
  return host == "00000000000000000000000001000000" ||
         (host.starts_with("0000000000000000FFFF0000") && host.ends_with("7F"));
}

// Inode numbers of the sockets in one table that can reach beyond loopback.
void add_network_sockets(const char* table, std::unordered_set<std::string>& inodes) {
  std::istringstream lines(read_small_file(std::string("/proc/net/") + table).value_or(""));
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, skipped, inode;
    words >> slot >> local >> remote;
    for (int field = 3; field < 9; ++field) words >> skipped;
    words >> inode;
    if (words && !is_loopback(local) && !is_loopback(remote)) inodes.insert(inode);
  }
}

bool holds_one_of(pid_t pid, const std::unordered_set<std::string>& inodes) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd";
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  if (!dir) return false;
  while (const dirent* entry = ::readdir(dir.get())) {
    char target[64];
    const ssize_t size = ::readlinkat(::dirfd(dir.get()), entry->d_name, target, sizeof target);
    const std::string_view link(target, size > 0 ? static_cast<size_t>(size) : 0);
    if (!link.starts_with("socket:[")) continue;
    if (inodes.contains(std::string(link.substr(8, link.size() - 9)))) return true;
  }
  return false;
}

}  // namespace

bool hold_network_socket(const std::vector<pid_t>& pids) {
  std::unordered_set<std::string> inodes;
  for (const char* table : {"tcp", "tcp6", "udp", "udp6", "raw", "raw6", "icmp", "icmp6"}) {
    add_network_sockets(table, inodes);
  }
  if (inodes.empty()) return false;
  for (const pid_t pid : pids) {
    if (holds_one_of(pid, inodes)) return true;
  }
  return false;
}

}  // namespace fairwire
