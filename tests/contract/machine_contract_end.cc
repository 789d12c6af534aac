#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "tests/contract/machine_contract.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A daemon, a stubborn one, a paused one and a helper in the midst of a tree that never ends.
void make_a_mess(Machine& machine) {
  const auto start = [&](const std::string& name, const std::string& script) {
    ExecSpec spec;
    spec.name = name;
    spec.argv = {"sh", "-c", script};
    return machine.start(spec);
  };
  start("daemon", "(setsid sh -c 'exec sleep 63' &) &");
  start("stubborn", "trap '' TERM HUP; : >ready; while :; do sleep 0.05; done");
  machine.signal(start("paused", "exec sleep 64"), SIGSTOP);
  machine.wait_for_file(machine.info().work + "/ready", seconds(60));
  machine.put(machine.info().store + "/data", "x", 0400);
}

std::vector<std::string> wait_until_nothing_remains(const std::string& token) {
  const Nanoseconds until = monotonic_now() + seconds(60);
  std::vector<std::string> remains = remains_of(token);
  while (!remains.empty() && monotonic_now() < until) {
    std::this_thread::sleep_for(milliseconds(20));
    remains = remains_of(token);
  }
  return remains;
}

TEST_P(MachineContract, NothingRemainsOfADroppedMachine) {
  const std::string owner = token();
  make_a_mess(machine());
  drop_machine();
  EXPECT_EQ(remains_of(owner), std::vector<std::string>{});
}

// The life of a harness that will be killed: it says its token and is busy with a tree for ever.
[[noreturn]] void be_a_harness(const MachineRow& row, const FileDescriptor& pipe) {
  const auto machine = row.make();
  ExecSpec spec;
  spec.name = "token";
  spec.argv = {"printenv", "FAIRWIRE_TOKEN"};
  machine->wait(machine->start(spec), seconds(60));
  make_a_mess(*machine);
  pipe.write_all(machine->get(machine->info().work + "/logs/token.out", 200).value_or(""));
  machine->make_dataset(Json::object({{"slow", true}}), 1, machine->info().store + "/slow");
  ::_exit(1);
}

TEST_P(MachineContract, NothingRemainsOfAKilledHarness) {
  drop_machine();
  Pipe pipe = make_pipe();
  const pid_t harness = ::fork();
  ASSERT_GE(harness, 0);
  if (harness == 0) {
    pipe.read_end.close();
    be_a_harness(GetParam(), pipe.write_end);
  }
  pipe.write_end.close();
  std::string owner;
  std::byte byte{};
  while (!owner.ends_with('\n') && pipe.read_end.read_some(std::span(&byte, 1)) == 1) {
    owner += static_cast<char>(byte);
  }
  std::this_thread::sleep_for(milliseconds(50));  // into the tree that never ends
  ::kill(harness, SIGKILL);
  ::waitpid(harness, nullptr, 0);
  ASSERT_TRUE(owner.ends_with('\n'));
  owner.pop_back();
  EXPECT_EQ(wait_until_nothing_remains(owner), std::vector<std::string>{});
}

}  // namespace
}  // namespace fairwire
