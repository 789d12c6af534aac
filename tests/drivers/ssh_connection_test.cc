#include "drivers/machines/ssh_connection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "base/file_descriptor.h"
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

class SshLogin : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "an sshd of our own needs root";
    if (::access("/usr/sbin/sshd", X_OK) != 0) GTEST_SKIP() << "no /usr/sbin/sshd";
  }
};

TEST_F(SshLogin, HostileArgumentsArriveUnchanged) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    SshConnection connection(host.options());
    connection.wait_until_ready();
    for (const std::string word : {"", "a b", "'", "$(touch /root/pwn)", "`id`", "a\nb", "\\", "*",
                                   "!x", "; exit 3", "\xff", "\"$HOME\"", "-e", "~root"}) {
      const RemoteResult result = connection.run({"printf", "%s", word}, "", kSoon);
      EXPECT_EQ(result.out, word);
      EXPECT_EQ(result.exit_code, 0);
    }
    EXPECT_EQ(connection.run({"sh", "-c", "exit 255"}, "", kSoon).exit_code, 255);
    EXPECT_EQ(connection.run({"cat"}, "meant for it", kSoon).out, "meant for it");
    EXPECT_EQ(connection.run({"cat"}, "", kSoon).out, "");  // never our stdin
  });
  EXPECT_EQ(run_on(host.machine(), {"ls", "-A", "/root"}).out, "");
}

TEST_F(SshLogin, HostKeyMayChangeBetweenRunsButNotInside) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    const SshOptions first = host.options();
    SshConnection(first).wait_until_ready();
    host.stop_sshd();
    host.make_host_key();
    host.start_sshd();
    SshConnection(host.options()).wait_until_ready();  // another run
    const std::string said = error_of([&] { SshConnection(first).wait_until_ready(); });
    EXPECT_NE(said.find("its host key is not the one this run knows"), said.npos) << said;
    EXPECT_NE(said.find("machine remote: ssh to 127.0.0.1 port 2222"), said.npos) << said;
  });
}

TEST_F(SshLogin, PinnedHostKeyIsTheOnlyOne) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  std::string key = host.public_host_key();
  key.resize(key.find_last_not_of(" \n") + 1);
  host.inside([&] {
    SshOptions options = host.options();
    options.host_key = key;
    SshConnection connection(options);
    connection.wait_until_ready();
    EXPECT_EQ(*fact(connection.facts(), "host_key_from"), "testbed");
    EXPECT_EQ(*fact(connection.facts(), "host_key"), key);

    SshOptions other = host.options();
    other.host_key = read_file(host.folder() + "/user.pub", 4096);
    other.host_key.resize(other.host_key.rfind(' '));
    const std::string said = error_of([&] { SshConnection(other).wait_until_ready(); });
    EXPECT_NE(said.find("host key"), said.npos) << said;
  });
}

// sshd drops some of many fresh logins at random; a command of ours is never lost to that.
TEST_F(SshLogin, TwelveCommandsAtOnceAllRun) {
  SshHost host(FAIRWIRE_TEST_AGENT, {"MaxStartups 2:100:2"});
  for (const bool shared : {true, false}) {
    SshOptions options = host.options();
    if (!shared) options.socket_folder = "/tmp/" + std::string(120, 'd');
    std::atomic<int> good = 0;
    host.inside([&] {
      SshConnection connection(options);
      std::vector<std::thread> threads;
      for (int i = 0; i < 12; ++i) {
        threads.emplace_back([&, i] {
          const std::string word = std::to_string(i);
          try {
            if (connection.run({"echo", word}, "", kSoon).out == word + '\n') ++good;
          } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    EXPECT_EQ(good, 12) << shared;
  }
}

// Others hold all the places of sshd's waiting room for a while; they come when the probe that
// saw sshd listen has left it.
TEST_F(SshLogin, LoginThatWasClosedEarlyIsTriedAgain) {
  SshHost host(FAIRWIRE_TEST_AGENT, {"MaxStartups 2:100:2", "LoginGraceTime 2"});
  ExecSpec crowd;
  crowd.name = "crowd";
  const std::string ready = host.machine().info().work + "/crowd-is-in";
  crowd.argv = {
      "bash", "-c",
      "sleep 0.5; exec 3<>/dev/tcp/127.0.0.1/2222 4<>/dev/tcp/127.0.0.1/2222 && : >\"$0\" && "
      "sleep 60",
      ready};
  host.machine().start(crowd);
  ASSERT_TRUE(host.machine().wait_for_file(ready, kSoon));
  host.inside([&] {
    SshConnection connection(host.options());
    connection.wait_until_ready();
    EXPECT_TRUE(connection.run({"true"}, "", kSoon).ok());
    EXPECT_GE(*connection.facts().find("ready_ms")->if_int(), 500);
  });
}

TEST_F(SshLogin, SharedLoginIsOpenedAgain) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.inside([&] {
    SshConnection connection(host.options());
    connection.wait_until_ready();
    run_on(host.machine(), {"sh", "-c", "kill -9 $(pgrep -f 'sshd: root@notty')"});
    EXPECT_TRUE(connection.run({"true"}, "", kSoon).ok());
    EXPECT_TRUE(connection.run({"true"}, "", kSoon).ok());
  });
}

// The key comes late, and sshd restarts after the first good login: no false failure, no false
// readiness.
TEST_F(SshLogin, BootingMachineIsWaitedFor) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.authorize(false);
  const Nanoseconds start = monotonic_now();
  std::thread boot([&] {
    ::usleep(1'500'000);
    host.authorize(true);
    ::usleep(1'500'000);
    host.stop_sshd();
    ::usleep(500'000);
    host.start_sshd();
  });
  host.inside([&] {
    SshOptions options = host.options();
    options.boot_window = std::chrono::seconds(30);
    EXPECT_EQ(error_of([&] { SshConnection(options).wait_until_ready(); }), "");
    EXPECT_GT(monotonic_now() - start, std::chrono::milliseconds(3500));
  });
  boot.join();
}

TEST_F(SshLogin, RefusedLoginIsFinalOutsideOfTheBootWindow) {
  SshHost host(FAIRWIRE_TEST_AGENT);
  host.authorize(false);
  host.inside([&] {
    const std::string said = error_of([&] { SshConnection(host.options()).wait_until_ready(); });
    EXPECT_NE(said.find("login refused: "), said.npos) << said;
    EXPECT_NE(said.find("Permission denied (publickey)"), said.npos) << said;
    SshOptions options = host.options();
    options.boot_window = std::chrono::milliseconds(1500);
    EXPECT_NE(error_of([&] { SshConnection(options).wait_until_ready(); }), "");
  });
}

}  // namespace
}  // namespace fairwire
