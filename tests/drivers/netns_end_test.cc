// What is left of a machine of namespaces: nothing, however it ends.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/rng.h"
#include "drivers/machines/netns.h"
#include "drivers/meter/process_table.h"
#include "drivers/sweep.h"
#include "tests/contract/run_on.h"

namespace fairwire {
namespace {

NetnsOptions options_for(const std::string& name) {
  NetnsOptions options;
  options.name = name;
  options.self_binary = FAIRWIRE_TEST_AGENT;
  options.token = owner_token();
  options.work_bytes = int64_t{256} << 20;
  return options;
}

std::string sh(Machine& machine, const std::string& script) {
  const RunOn run = run_on(machine, {"sh", "-c", script});
  return run.ok() ? run.out : "failed: " + run.out + run.err;
}

std::string host_mounts() {
  return read_file("/proc/self/mountinfo", 1 << 20);
}

// What this host holds in the name of `token`: processes, control groups, folders.
std::vector<std::string> traces_of(const std::string& token) {
  std::vector<std::string> traces;
  for (const pid_t pid : all_processes()) {
    for (const char* file : {"/cmdline", "/environ"}) {
      std::ifstream in("/proc/" + std::to_string(pid) + file);
      std::stringstream text;
      text << in.rdbuf();
      if (text.str().find(token) == std::string::npos) continue;
      traces.push_back("process " + std::to_string(pid));
      break;
    }
  }
  std::error_code error;
  for (const char* root : {"/sys/fs/cgroup", "/dev/shm"}) {
    using Walk = std::filesystem::recursive_directory_iterator;
    for (Walk at(root, error), end; !error && at != end; at.increment(error)) {
      if (at->path().filename().string().find(token) != std::string::npos) {
        traces.push_back(at->path());
        at.disable_recursion_pending();
      }
      if (!at->is_directory(error)) at.disable_recursion_pending();
    }
  }
  return traces;
}

std::vector<std::string> traces_after(const std::string& token, Nanoseconds patience) {
  const Nanoseconds until = monotonic_now() + patience;
  std::vector<std::string> traces = traces_of(token);
  while (!traces.empty() && monotonic_now() < until) {
    ::usleep(20'000);
    traces = traces_of(token);
  }
  return traces;
}

class NetnsEnd : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "machines of namespaces need root";
  }
};

TEST_F(NetnsEnd, NothingIsLeftAfterDrop) {
  const std::string mounts = host_mounts();
  NetnsOptions options = options_for("alice");
  {
    const auto machine = make_netns_machine(options);
    ExecSpec sleeper;
    sleeper.name = "sleeper";
    sleeper.argv = {"sh", "-c", "setsid sleep 1000 & setsid sleep 1000"};
    machine->start(sleeper);
    sh(*machine, "mount -t tmpfs x /mnt");
  }
  EXPECT_EQ(traces_after("-" + options.token, Nanoseconds::zero()), std::vector<std::string>{});
  EXPECT_EQ(host_mounts(), mounts);
}

// What a killed agent leaves to the others: its control groups.
TEST_F(NetnsEnd, NothingIsLeftOfAKilledAgent) {
  NetnsOptions options = options_for("alice");
  {
    const auto machine = make_netns_machine(options);
    sh(*machine, "true");
    ::kill(machine->info().namespace_pid, SIGKILL);
    EXPECT_THROW(machine->free_port(), ProtocolError);
  }
  EXPECT_EQ(traces_after("-" + options.token, Nanoseconds::zero()), std::vector<std::string>{});
}

// An agent that hangs when its harness is killed is ended by the janitor.
TEST_F(NetnsEnd, NothingIsLeftOfAHangingAgent) {
  Pipe said = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const NetnsOptions options = options_for("victim");
    const auto machine = make_netns_machine(options);
    sh(*machine, "true");
    ::kill(machine->info().namespace_pid, SIGSTOP);
    said.write_end.write_all(options.token);
    while (true) ::pause();
  }
  std::byte text[200];
  const std::string token(reinterpret_cast<const char*>(text), said.read_end.read_some(text));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(traces_after(token, std::chrono::seconds(20)), std::vector<std::string>{});
}

// A harness of its own: builds a machine, starts programs there, and waits to be killed.
[[noreturn]] void harness_to_be_killed(const FileDescriptor& say) {
  NetnsOptions options = options_for("victim");
  say.write_all(options.token + '\n');
  const auto machine = make_netns_machine(options);
  ExecSpec sleeper;
  sleeper.name = "sleeper";
  sleeper.argv = {"sh", "-c", "setsid sleep 1000 & sleep 1000"};
  machine->start(sleeper);
  while (true) ::pause();
}

TEST_F(NetnsEnd, NothingIsLeftAfterKillAtRandomPoints) {
  const std::string mounts = host_mounts();
  Rng rng(20);
  for (int round = 0; round < 20; ++round) {
    Pipe said = make_pipe();
    const pid_t child = ::fork();
    if (child == 0) harness_to_be_killed(said.write_end);
    said.write_end.close();
    std::byte text[200];
    std::string token(reinterpret_cast<const char*>(text), said.read_end.read_some(text));
    token.pop_back();
    ::usleep(static_cast<useconds_t>(rng.below(60'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(traces_after(token, std::chrono::seconds(15)), std::vector<std::string>{});
  }
  EXPECT_EQ(host_mounts(), mounts);
}

}  // namespace
}  // namespace fairwire
