#include "drivers/wires/network_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/subprocess.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kPatience = std::chrono::seconds(10);
constexpr size_t kProcLimit = size_t{1} << 20;

std::string namespace_file(pid_t pid) {
  return "/proc/" + std::to_string(pid) + "/ns/net";
}

}  // namespace

void in_network_of(pid_t pid, const std::function<void()>& work) {
  const std::string path = namespace_file(pid);
  const FileDescriptor network = open_file(path, O_RDONLY);
  std::exception_ptr thrown;
  std::thread inside([&] {
    try {
      check_system(::setns(network.get(), CLONE_NEWNET), "enter the network namespace", path);
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  inside.join();
  if (thrown) std::rethrow_exception(thrown);
}

void run_ip_batch(const std::string& lines) {
  const CommandResult result = run_command({"ip", "-batch", "-"}, lines, kPatience);
  if (!result.ok()) {
    throw ProtocolError("ip -batch: " + (result.timed_out ? "no end within 10 s" : result.err));
  }
}

void run_nft(const std::string& rules) {
  const char* path = ::getenv("PATH");
  const std::string everywhere =
      (path != nullptr ? std::string(path) + ":" : "") + "/usr/sbin:/sbin";
  std::string program;
  try {
    program = find_program("nft", everywhere);
  } catch (const SystemError&) {
    throw ProtocolError("NAT routers need nft, which is not installed: apt-get install nftables");
  }
  const CommandResult result = run_command({program, "-f", "-"}, rules, kPatience);
  if (!result.ok()) {
    throw ProtocolError("nft: " + (result.timed_out ? "no end within 10 s" : result.err));
  }
}

void set_of_namespace(const std::string& name, const std::string& value) {
  open_file("/proc/sys/net/" + name, O_WRONLY).write_all(value + "\n");
}

bool host_has_ipv6() {
  return ::access("/proc/sys/net/ipv6", F_OK) == 0;
}

std::vector<InterfaceCount> parse_interface_counts(const std::string& text,
                                                   const std::string& file) {
  // Two lines of headings, then NAME: and 8 counters received, 8 sent; the ones of interest are
  // bytes, packets and drops (the 1st, 2nd and 4th of each half).
  std::vector<InterfaceCount> counts;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (number <= 2) continue;
    const size_t colon = line.rfind(':');
    std::array<int64_t, 16> field{};
    std::istringstream fields(colon == std::string::npos ? "" : line.substr(colon + 1));
    for (int64_t& value : field) fields >> value;
    if (!fields) throw FormatError(file, "line " + std::to_string(number), "is not 16 counters");
    const size_t start = line.find_first_not_of(' ');
    const std::string name = line.substr(start, colon - start);
    if (name == "lo") continue;
    counts.push_back({name, field[0], field[8], field[1], field[9], field[3] + field[11]});
  }
  return counts;
}

std::vector<InterfaceCount> interface_counts(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/net/dev";
  return parse_interface_counts(read_file(path, kProcLimit), path);
}

}  // namespace fairwire
