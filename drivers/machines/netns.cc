#include "drivers/machines/netns.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "drivers/agent_client.h"
#include "drivers/interrupt.h"
#include "drivers/machines/netns_init.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kBuildTime = std::chrono::seconds(30);
// Longer than the janitor gives the agent before it ends the machine.
constexpr Nanoseconds kGoodbye = std::chrono::seconds(15);
constexpr size_t kFirstLine = 65536;

int64_t host_memory() {
  struct sysinfo info {};
  check_system(::sysinfo(&info), "sysinfo");
  return static_cast<int64_t>(info.totalram) * static_cast<int64_t>(info.mem_unit);
}

std::string absolute(const std::string& path) {
  if (path.empty()) return path;
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) throw_system_error("find", path);
  std::string result = resolved;
  ::free(resolved);
  return result;
}

NetnsInitOptions init_options(const NetnsOptions& options) {
  return {.name = options.name,
          .token = options.token,
          .self_binary = absolute(options.self_binary),
          .store = absolute(options.store),
          .store_writable = options.store_writable,
          .root_bytes = options.root_bytes,
          .work_bytes = std::min(options.work_bytes, host_memory())};
}

// One byte at a time: what follows the line is for the agent's client.
std::string read_first_line(const FileDescriptor& from) {
  const Nanoseconds until = monotonic_now() + kBuildTime;
  std::string line;
  while (line.size() < kFirstLine) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now());
    pollfd watched{from.get(), POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    check_interrupted();
    if (ready < 0 && errno == EINTR) continue;
    std::byte byte[1];
    if (ready <= 0 || from.read_some(byte) == 0) break;
    if (byte[0] == std::byte{'\n'}) return line;
    line += static_cast<char>(byte[0]);
  }
  return {};
}

// The pid of the machine's first process, or the failure that the verb reported.
int namespace_pid_from(const std::string& line, const std::string& name) {
  const std::string where = "machine " + name + " out of namespaces (needs root and overlayfs: " +
                            "run with sudo, or give it the kind \"local\"): ";
  if (line.empty()) throw SystemError(where + "start its first process", "", ECHILD);
  const Json json = Json::parse(line, "netns-init");
  const JsonView view(json, "netns-init");
  view.allow_only({"namespace_pid", "failed"});
  if (const auto failed = view.find("failed")) {
    throw SystemError(where + failed->at("attempt").as_string(), failed->at("path").as_string(),
                      static_cast<int>(failed->at("errno").as_int()));
  }
  return static_cast<int>(view.at("namespace_pid").as_int(1, 1 << 30));
}

}  // namespace

std::unique_ptr<Machine> make_netns_machine(const NetnsOptions& options) {
  const NetnsInitOptions init = init_options(options);
  Pipe to = make_pipe();
  Pipe from = make_pipe();
  SpawnOptions spawn;
  spawn.argv = {init.self_binary, "netns-init", to_json(init).dump()};
  spawn.inherit_environment = true;
  spawn.stdin_fd = to.read_end.get();
  spawn.stdout_fd = from.write_end.get();
  // The agent's words, in memory that no crash of ours can leave behind.
  const auto errors = std::make_shared<FileDescriptor>(
      check_system(::memfd_create("agent-errors", MFD_CLOEXEC), "memfd_create"));
  spawn.stderr_fd = errors->get();

  AgentLink link;
  link.launcher = std::make_unique<Subprocess>(spawn);
  to.read_end.close();
  from.write_end.close();
  link.to_agent = std::move(to.write_end);
  link.from_agent = std::move(from.read_end);

  link.goodbye = kGoodbye;
  link.early_errors = "/proc/self/fd/" + std::to_string(errors->get());
  link.after = [errors, token = init.token, name = init.name] {
    remove_machine_groups(token, name);
  };

  MachineSetup setup;
  setup.name = options.name;
  setup.kind = "netns";
  setup.namespace_pid = namespace_pid_from(read_first_line(link.from_agent), options.name);
  return std::make_unique<AgentMachine>(std::move(link), setup);
}

}  // namespace fairwire
