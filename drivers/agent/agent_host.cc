#include "drivers/agent/agent_host.h"

#include <sys/auxv.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sstream>

#include "base/error.h"
#include "drivers/meter/process_table.h"

namespace fairwire {
namespace {

// One line of /proc or /sys with its white space as single blanks ("4096\t131072\t6291456").
Json fact(const std::string& path) {
  const auto text = read_small_file(path);
  if (!text) return nullptr;
  std::istringstream words(*text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return escape_name(line);
}

Json kernel() {
  utsname name{};
  if (::uname(&name) != 0) return nullptr;
  return escape_name(std::string(name.sysname) + ' ' + name.release + ' ' + name.version);
}

Json cpu_model() {
  std::istringstream lines(read_small_file("/proc/cpuinfo").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    // x86 says "model name", others "Processor", "cpu" or nothing at all.
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return escape_name(line.substr(colon + 2));
    }
  }
  return nullptr;
}

Json memory_bytes() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return nullptr;
  return static_cast<int64_t>(info.totalram) * static_cast<int64_t>(info.mem_unit);
}

std::string file_system_name(int64_t magic) {
  switch (magic) {  // linux/magic.h, and xfs and zfs which are not in it
    case 0xef53:
      return "ext4";
    case 0x01021994:
      return "tmpfs";
    case 0x9123683e:
      return "btrfs";
    case 0x58465342:
      return "xfs";
    case 0x794c7630:
      return "overlay";
    case 0x2fc12fc1:
      return "zfs";
    case 0x6969:
      return "nfs";
    case 0xf2f52010:
      return "f2fs";
    case 0x65735546:
      return "fuse";
  }
  std::ostringstream hex;
  hex << "0x" << std::hex << magic;
  return hex.str();
}

Json file_system(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return nullptr;
  const auto magic = static_cast<int64_t>(status.f_type);
  return Json::object({{"type", file_system_name(magic)},
                       {"free_bytes", static_cast<int64_t>(status.f_bavail) *
                                          static_cast<int64_t>(status.f_bsize)}});
}

Json sysctls() {
  Json facts = Json::object();
  for (const char* name :
       {"ipv4/tcp_rmem", "ipv4/tcp_wmem", "ipv4/tcp_congestion_control", "core/rmem_max",
        "core/wmem_max", "ipv4/tcp_slow_start_after_idle", "ipv4/tcp_no_metrics_save"}) {
    const std::string path = std::string("/proc/sys/net/") + name;
    facts.set(path.substr(path.rfind('/') + 1), fact(path));
  }
  return facts;
}

}  // namespace

Json host_facts(const std::string& work, const std::string& cpu_method) {
  return Json::object(
      {{"kernel", kernel()},
       {"cpu_model", cpu_model()},
       {"cpus", int64_t{::sysconf(_SC_NPROCESSORS_ONLN)}},
       {"memory_bytes", memory_bytes()},
       {"page_bytes", int64_t{::sysconf(_SC_PAGESIZE)}},
       {"clock_source", fact("/sys/devices/system/clocksource/clocksource0/current_clocksource")},
       {"governor", fact("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
       {"uid", int64_t{::getuid()}},
       {"cpu_method", cpu_method},
       {"work_file_system", file_system(work)},
       {"sysctls", sysctls()}});
}

std::string own_binary() {
  char target[4096];
  const ssize_t size = ::readlink("/proc/self/exe", target, sizeof target);
  if (size >= 0) return std::string(target, static_cast<size_t>(size));
  // A bare root without /proc: the path we were started with.
  const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (started == nullptr || started[0] != '/')
    throw_system_error("read the link", "/proc/self/exe");
  return started;
}

}  // namespace fairwire
