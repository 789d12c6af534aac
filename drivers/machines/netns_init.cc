#include "drivers/machines/netns_init.h"

#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "drivers/machines/fresh_root.h"
#include "drivers/meter/control_group.h"

namespace fairwire {
namespace {

// How long an agent without a harness may take to kill its tree and remove its groups; a large
// tree in work needs no removing, since it goes with the namespaces.
constexpr Nanoseconds kGoodbye = std::chrono::seconds(10);

constexpr int kGroupPatience = 2000;  // ms

struct Channel {
  FileDescriptor janitor;
  FileDescriptor first;  // pid 1's end
};

Channel make_channel() {
  int ends[2];
  check_system(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "socketpair");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string receive(const FileDescriptor& channel) {
  std::array<std::byte, 8192> buffer;
  const size_t count = channel.read_some(buffer);
  return {reinterpret_cast<const char*>(buffer.data()), count};
}

Json failure(const SystemError& error) {
  return Json::object({{"attempt", error.attempt},
                       {"path", escape_name(error.path)},
                       {"errno", error.error_number}});
}

// True when the other end of `fd` is closed.
bool hung_up(int fd) {
  pollfd poll_fd{fd, 0, 0};
  return ::poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLHUP | POLLERR)) != 0;
}

void raise_loopback() {
  const FileDescriptor socket(
      check_system(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "make a socket"));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  check_system(::ioctl(socket.get(), SIOCSIFFLAGS, &request), "raise the interface", "lo");
}

void become_machine(const NetnsInitOptions& options) {
  check_system(::unshare(CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET),
               "make network, host name and IPC namespaces");
  check_system(::sethostname(options.name.data(), options.name.size()), "set the host name",
               options.name);
  raise_loopback();
  const char* home = ::getenv("HOME");
  enter_fresh_root({.host_name = options.name,
                    .self_binary = options.self_binary,
                    .store = options.store,
                    .store_writable = options.store_writable,
                    .home = home != nullptr && home[0] == '/' ? home : "",
                    .root_bytes = options.root_bytes,
                    .work_bytes = options.work_bytes});
}

void exec_agent(const NetnsInitOptions& options) {
  std::vector<std::string> words = {kMachineSelf, "agent",       "--name", options.name,
                                    "--token",    options.token, "--work", kMachineWork,
                                    "--store",    kMachineStore};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(kMachineSelf, argv.data());
  throw_system_error("start", options.self_binary);
}

// Pid 1 of the machine, from its first instruction to the agent's.
[[noreturn]] void first_process(const NetnsInitOptions& options, const FileDescriptor& channel) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A janitor that ended before the line above sends no signal, but its end is closed.
  if (hung_up(channel.get())) ::_exit(1);
  ::setsid();
  try {
    become_machine(options);
    channel.write_all("ready");
    if (receive(channel) == "go") exec_agent(options);
  } catch (const SystemError& error) {
    channel.write_all(failure(error).dump());
  }
  ::_exit(1);
}

void say(const Json& line) {
  FileDescriptor(::dup(STDOUT_FILENO)).write_all(line.dump() + "\n");
}

// Waits until pid 1 speaks; empty when it, or the harness, has gone.
std::string first_word(const FileDescriptor& channel) {
  pollfd watched[] = {{channel.get(), POLLIN, 0}, {STDIN_FILENO, 0, 0}};
  while (::poll(watched, 2, -1) < 0) {
    if (errno != EINTR) throw_system_error("poll");
  }
  if (watched[0].revents == 0) return {};
  return receive(channel);
}

// Its own copy of the agent's stdout would keep the harness from seeing the agent's end.
void let_go_of_output() {
  const FileDescriptor null = open_file("/dev/null", O_WRONLY);
  check_system(::dup2(null.get(), STDOUT_FILENO), "dup2");
}

// Stays until pid 1 has ended and returns its wait status; an agent that outlives its harness for
// too long is killed.
int watch(pid_t first) {
  const FileDescriptor ended(
      check_system(static_cast<int>(::syscall(SYS_pidfd_open, first, 0)), "pidfd_open"));
  pollfd watched[] = {{ended.get(), POLLIN, 0}, {STDIN_FILENO, 0, 0}};
  std::optional<Nanoseconds> kill_at;
  while ((watched[0].revents & POLLIN) == 0) {
    const int patience = kill_at ? 100 : -1;  // milliseconds
    if (::poll(watched, kill_at ? 1 : 2, patience) < 0 && errno != EINTR) break;
    if (!kill_at && watched[1].revents != 0) kill_at = monotonic_now() + kGoodbye;
    if (kill_at && monotonic_now() > *kill_at) break;
  }
  ::kill(first, SIGKILL);
  int status = 0;
  ::waitpid(first, &status, 0);
  return status;
}

int serve(const NetnsInitOptions& options) {
  check_system(::unshare(CLONE_NEWPID), "make a pid namespace");
  Channel channel = make_channel();
  const pid_t first = check_system(::fork(), "fork");
  if (first == 0) {
    channel.janitor.close();
    first_process(options, channel.first);
  }
  channel.first.close();
  const std::string word = first_word(channel.janitor);
  if (word != "ready") {
    ::kill(first, SIGKILL);
    ::waitpid(first, nullptr, 0);
    if (word.empty()) throw SystemError("keep the first process of", options.name, ECHILD);
    say(Json::object({{"failed", Json::parse(word, "netns-init")}}));
    return 1;
  }
  say(Json::object({{"namespace_pid", int64_t{first}}}));
  channel.janitor.write_all("go");
  channel.janitor.close();
  let_go_of_output();
  const int status = watch(first);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  remove_machine_groups(options.token, options.name);
  return 128 + WTERMSIG(status);
}

}  // namespace

Json to_json(const NetnsInitOptions& options) {
  return Json::object({{"name", options.name},
                       {"token", options.token},
                       {"self_binary", escape_name(options.self_binary)},
                       {"store", escape_name(options.store)},
                       {"store_writable", options.store_writable},
                       {"root_bytes", options.root_bytes},
                       {"work_bytes", options.work_bytes}});
}

NetnsInitOptions netns_init_options_from(const Json& json) {
  const JsonView view(json, "netns-init");
  view.allow_only(
      {"name", "token", "self_binary", "store", "store_writable", "root_bytes", "work_bytes"});
  const auto path = [&view](std::string_view key) {
    const JsonView member = view.at(key);
    const auto bytes = unescape_name(member.as_string());
    if (!bytes) member.fail("is not an escaped path");
    return *bytes;
  };
  return {.name = view.at("name").as_nonempty_string(),
          .token = view.at("token").as_nonempty_string(),
          .self_binary = path("self_binary"),
          .store = path("store"),
          .store_writable = view.at("store_writable").as_bool(),
          .root_bytes = view.at("root_bytes").as_int(1),
          .work_bytes = view.at("work_bytes").as_int(1)};
}

void remove_machine_groups(const std::string& token, const std::string& name) {
  for (const char* kind : {"cgroup2", "cpuacct"}) {
    const auto own = writable_own_group(kind);
    if (!own) continue;
    const std::string group = *own + "/fairwire-" + token + '-' + name;
    if (!remove_group(group, kGroupPatience)) log_warning("the control group " + group + " stays");
  }
}

void run_netns_init(const NetnsInitOptions& options) {
  int code = 1;
  try {
    code = serve(options);
  } catch (const SystemError& error) {
    try {
      say(Json::object({{"failed", failure(error)}}));
    } catch (const std::exception&) {  // the harness is gone: nobody is left to tell
    }
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
  ::_exit(code);
}

}  // namespace fairwire
