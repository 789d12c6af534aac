#include "drivers/machines/ssh.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "drivers/machines/ssh_connection.h"
#include "tests/contract/run_on.h"
#include "tests/contract/ssh_host.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kSoon = std::chrono::seconds(20);

const std::string* fact(const Json& facts, std::string_view key) {
  const Json* value = facts.find(key);
  return value == nullptr ? nullptr : value->if_string();
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

class Ssh : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "an sshd of our own needs root";
    if (::access("/usr/sbin/sshd", X_OK) != 0) GTEST_SKIP() << "no /usr/sbin/sshd";
  }
};

TEST_F(Ssh, MachineRunsPrograms) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    const auto machine = make_ssh_machine(host.options());
    EXPECT_EQ(machine->info().kind, "ssh");
    EXPECT_EQ(machine->info().address, "127.0.0.1");
    EXPECT_EQ(run_on(*machine, {"uname", "-n"}).out, "sshhost\n");
    const Json* connection = machine->info().host.find("connection");
    ASSERT_NE(connection, nullptr);
    EXPECT_EQ(*fact(*connection, "host_key_from"), "first use");
    EXPECT_EQ(*fact(*connection, "host_key") + " \n", host.public_host_key());
    EXPECT_EQ(*connection->find("shared_login"), Json(true));
    EXPECT_TRUE(connection->find("notes")->if_array()->empty());
  });
}

TEST_F(Ssh, NothingIsLeftOnTheHost) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    auto machine = make_ssh_machine(host.options());
    EXPECT_EQ(run_on(host.machine(), {"ls", "/root/.fairwire"}).out.find("agent-"), 0u);
    EXPECT_EQ(machine->info().self.find("/root/.fairwire/agent-"), 0u) << machine->info().self;
    machine.reset();
    EXPECT_EQ(run_on(host.machine(), {"ls", "-A", "/root"}).out, "");
    EXPECT_EQ(run_on(host.machine(), {"ls", "/dev/shm"}).out, "fairwire\n");
    EXPECT_EQ(::access((host.folder() + "/s1").c_str(), F_OK), -1);  // the socket and its folder
  });
}

TEST_F(Ssh, FolderThatWasThereStaysAndIsUsedAgain) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.machine().make_directory("/opt/bench");
  host.inside([&] {
    for (int run = 0; run < 2; ++run) {
      SshOptions options = host.options();
      options.work_root = "/opt/bench";
      const auto machine = make_ssh_machine(options);
      EXPECT_EQ(machine->info().work.find("/opt/bench/stay-"), 0u) << machine->info().work;
    }
    const std::string left = run_on(host.machine(), {"ls", "/opt/bench"}).out;
    EXPECT_EQ(left.find("agent-"), 0u);
    EXPECT_EQ(left.size(), sizeof "agent-" - 1 + 64 + 1) << left;  // the binary and nothing else
  });
}

TEST_F(Ssh, MachinesMayShareAHost) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    SshOptions options = host.options();
    auto first = make_ssh_machine(options);
    options.name = "other";
    const auto second = make_ssh_machine(options);
    first.reset();
    EXPECT_EQ(run_on(*second, {"test", "-x", second->info().self}).report.exit_code, 0);
  });
  EXPECT_EQ(run_on(host.machine(), {"ls", "-A", "/root"}).out, "");
}

// The harness is killed: its ssh ends, the agent sees the end of its input, the shell cleans up.
TEST_F(Ssh, BrokenConnectionLeavesNothing) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    auto machine = make_ssh_machine(host.options());
    ExecSpec sleeper;
    sleeper.name = "sleeper";
    sleeper.argv = {"sleep", "1234"};
    machine->start(sleeper);
    run_on(host.machine(), {"sh", "-c", "kill -9 $(pgrep -f 'sshd: root@notty')"});
    EXPECT_THROW(machine->free_port(), ProtocolError);
    const auto gone = [&] {
      return run_on(host.machine(), {"ls", "-A", "/root"}).out.empty() &&
             !run_on(host.machine(), {"pgrep", "-f", "sleep 1234"}).ok();
    };
    const Nanoseconds until = monotonic_now() + kSoon;
    while (!gone() && monotonic_now() < until) ::usleep(50'000);
    EXPECT_TRUE(gone());
  });
}

TEST_F(Ssh, NoisyShellIsReportedAndSurvived) {
  SshHost host(FAIRWIRE_TEST_AGENT, {"ForceCommand /etc/noisy"});
  host.machine().put("/etc/noisy",
                     "#!/bin/sh\necho Welcome to the machine\nsh -c \"$SSH_ORIGINAL_COMMAND\"\n"
                     "code=$?\necho good bye\nexit $code\n",
                     0755);
  host.inside([&] {
    const auto machine = make_ssh_machine(host.options());
    EXPECT_EQ(run_on(*machine, {"echo", "clean"}).out, "clean\n");
    const Json notes = *machine->info().host.find("connection")->find("notes");
    ASSERT_EQ(notes.if_array()->size(), 1u);
    EXPECT_EQ(notes.if_array()->at(0), Json("remote shell prints 23 bytes: Welcome to the "
                                            "machine\\x0a"));
  });
}

// A socket's path has 107 bytes: ours is short whatever TMPDIR and the run folder are, and where
// it cannot be, every command logs in by itself.
TEST_F(Ssh, LongPathsAreNoTrouble) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  const std::string deep = host.folder() + "/" + std::string(120, 'd');
  ::setenv("TMPDIR", deep.c_str(), 1);
  host.inside([&] {
    SshOptions options = host.options();
    options.run_folder = deep + "/run";
    options.socket_folder = "";  // the default
    SshConnection shared(options);
    shared.wait_until_ready();
    EXPECT_TRUE(shared.run({"true"}, "", kSoon).ok());
    EXPECT_EQ(*shared.facts().find("shared_login"), Json(true));

    options.run_folder = deep + "/run2";
    options.socket_folder = deep + "/sockets";
    const auto machine = make_ssh_machine(options);
    EXPECT_EQ(run_on(*machine, {"echo", "works"}).out, "works\n");
    const Json* connection = machine->info().host.find("connection");
    EXPECT_EQ(*connection->find("shared_login"), Json(false));
    EXPECT_EQ(connection->find("notes")->if_array()->size(), 1u);
  });
  ::unsetenv("TMPDIR");
}

TEST_F(Ssh, UnreachableHostIsNamed) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.stop_sshd();
  host.inside([&] {
    const std::string said = error_of([&] { make_ssh_machine(host.options()); });
    EXPECT_EQ(said,
              "machine remote: ssh to 127.0.0.1 port 2222: not reachable: ssh: connect to host "
              "127.0.0.1 port 2222: Connection refused");
  });
}

TEST_F(Ssh, OpenKeyFileIsRefusedByName) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  SshOptions options = host.options();
  ASSERT_EQ(::chmod(options.identity_file.c_str(), 0664), 0);
  const std::string said = error_of([&] { make_ssh_machine(options); });
  EXPECT_NE(said.find("key file too open"), said.npos) << said;
}

}  // namespace
}  // namespace fairwire
