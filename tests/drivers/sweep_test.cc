#include "drivers/sweep.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/file_descriptor.h"
#include "drivers/machines/local.h"
#include "tests/contract/machine_contract.h"

namespace fairwire {
namespace {

using std::chrono::seconds;

TEST(Sweep, OurOwnTokenLives) {
  const std::string token = owner_token();
  EXPECT_TRUE(owner_alive(token));
  // The same process number with another start time is another process.
  const size_t dash = token.find('-');
  EXPECT_FALSE(owner_alive(token.substr(0, dash) + "-1" + token.substr(token.rfind('-'))));
}

TEST(Sweep, WhatCannotBeToldIsLeftAlone) {
  for (const char* token : {"", "x", "12", "12-34", "12-34-", "1-2-3x", "-1-2-3", "99999999-1-1"}) {
    EXPECT_TRUE(owner_alive(token)) << token;
  }
}

// A harness whose agent is killed before it is: nobody is left to clean up.
[[noreturn]] void leave_everything(const std::string& meter, const FileDescriptor& pipe) {
  LocalSetup setup;
  setup.name = "paris";
  setup.self_binary = FAIRWIRE_TEST_AGENT;
  setup.token = owner_token();
  setup.meter = meter;
  const auto machine = make_local_machine(setup);
  ExecSpec spec;
  spec.name = "tool";
  spec.argv = {"sh", "-c", "echo $PPID; (setsid sleep 65 &) ; exec sleep 66"};
  machine->start(spec);
  std::string agent;
  while (!agent.ends_with('\n')) {
    agent = machine->get(machine->info().work + "/logs/tool.out", 100).value_or("");
  }
  ::kill(std::stoi(agent), SIGKILL);
  pipe.write_all(setup.token + '\n');
  ::_exit(0);
}

std::string token_of_a_dead_harness(const std::string& meter) {
  Pipe pipe = make_pipe();
  const pid_t harness = ::fork();
  if (harness == 0) leave_everything(meter, pipe.write_end);
  pipe.write_end.close();
  ::waitpid(harness, nullptr, 0);
  std::string token;
  std::byte byte{};
  while (pipe.read_end.read_some(std::span(&byte, 1)) == 1 && byte != std::byte{'\n'}) {
    token += static_cast<char>(byte);
  }
  return token;
}

class SweepTest : public testing::TestWithParam<const char*> {};

TEST_P(SweepTest, TakesAllOfTheDeadAndNothingOfTheLiving) {
  const std::string mine = owner_folder(owner_token()) + "-sweep-test";
  std::filesystem::create_directory(mine);
  const std::string token = token_of_a_dead_harness(GetParam());
  ASSERT_FALSE(owner_alive(token));
  EXPECT_FALSE(remains_of(token).empty());
  sweep_leftovers();
  // Killed processes are gone once their new parent has reaped them.
  for (int i = 0; i < 500 && !remains_of(token).empty(); ++i) ::usleep(10'000);
  EXPECT_EQ(remains_of(token), std::vector<std::string>{});
  EXPECT_TRUE(std::filesystem::exists(mine));
  std::filesystem::remove(mine);
}

INSTANTIATE_TEST_SUITE_P(Meters, SweepTest, testing::Values("auto", "wait4"));

}  // namespace
}  // namespace fairwire
