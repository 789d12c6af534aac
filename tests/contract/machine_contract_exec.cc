#include <csignal>
#include <thread>

#include "base/error.h"
#include "tests/contract/machine_contract.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_P(MachineContract, SaysWhatItIs) {
  const MachineInfo& info = machine().info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.kind.empty());
  EXPECT_EQ(info.work[0], '/');
  EXPECT_EQ(info.store[0], '/');
  EXPECT_EQ(info.self[0], '/');
  for (const char* key : {"kernel", "cpus", "memory_bytes", "clock_source", "governor", "uid",
                          "page_bytes", "cpu_method", "work_file_system", "sysctls"}) {
    EXPECT_NE(info.host.find(key), nullptr) << key;
  }
}

TEST_P(MachineContract, ReportsExitCodeAndTimes) {
  const ExecReport report = run(shell("sleep 0.05; exit 3"));
  EXPECT_EQ(report.end, ExecEnd::exited);
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_EQ(report.signal, 0);
  EXPECT_GE(report.ended - report.started, milliseconds(50));
  EXPECT_LT(report.ended - report.started, seconds(30));
  EXPECT_GT(report.largest_rss_bytes, 0);
  EXPECT_TRUE(report.left_processes.empty());
}

TEST_P(MachineContract, ReportsTheSignalThatEndedIt) {
  const ExecReport report = run(shell("kill -KILL $$"));
  EXPECT_EQ(report.end, ExecEnd::signalled);
  EXPECT_EQ(report.signal, SIGKILL);
  EXPECT_EQ(report.exit_code, -1);
}

TEST_P(MachineContract, KeepsBothOutputsInTheLogs) {
  run(shell("echo out; echo err >&2"));
  EXPECT_EQ(machine().get(work("logs/tool.out"), 100), "out\n");
  EXPECT_EQ(machine().get(work("logs/tool.err"), 100), "err\n");
}

TEST_P(MachineContract, MissingProgramIsNotStartedWithTheReason) {
  const ExecReport report = run(tool({"no-such-program-anywhere"}));
  EXPECT_EQ(report.end, ExecEnd::not_started);
  EXPECT_EQ(report.why_not_started, "No such file or directory");
  EXPECT_EQ(run(tool({"/etc/passwd"})).why_not_started, "Permission denied");
  ExecSpec nowhere = tool({"true"});
  nowhere.directory = "/no-such-folder";
  EXPECT_EQ(run(nowhere).end, ExecEnd::not_started);
}

TEST_P(MachineContract, StopsAProgramWhenItHasSaidSo) {
  ExecSpec spec = shell("echo not yet; sleep 0.1; echo now re; sleep 0.1; echo ady; sleep 60");
  spec.until.output = "re[[:space:]]ady";  // over two reads
  for (int i = 0; i < 2; ++i) {            // what the log holds already does not count
    const ExecReport report = run(spec);
    EXPECT_EQ(report.end, ExecEnd::stopped);
    EXPECT_GE(report.reached - report.started, milliseconds(200));
    EXPECT_LE(report.reached, report.ended);
  }
}

TEST_P(MachineContract, WhatWasNeverSaidWasNeverReached) {
  ExecSpec spec = shell("echo something else");
  spec.until.output = "ready";
  const ExecReport report = run(spec);
  EXPECT_EQ(report.end, ExecEnd::exited);
  EXPECT_EQ(report.reached, Nanoseconds::zero());
  spec = shell("echo ready >&2");  // and is over before anybody looks
  spec.until.output = "ready";
  EXPECT_GT(run(spec).reached, Nanoseconds::zero());
}

TEST_P(MachineContract, RefusesWhatIsWrongAndGoesOn) {
  ExecSpec bad_name = tool({"true"});
  bad_name.name = "../escape";
  EXPECT_THROW(machine().start(bad_name), FormatError);
  EXPECT_THROW(machine().wait(4711, seconds(1)), ProtocolError);
  EXPECT_THROW(machine().remove("relative"), FormatError);
  EXPECT_EQ(run(tool({"true"})).exit_code, 0);
}

TEST_P(MachineContract, WaitComesBackWithNothingWhileItRuns) {
  const int handle = machine().start(tool({"sleep", "60"}));
  EXPECT_FALSE(machine().wait(handle, milliseconds(50)));
  machine().stop(handle, seconds(10));
}

TEST_P(MachineContract, DeadlineKillsEverything) {
  ExecSpec spec = shell("sleep 61 & trap '' TERM; echo $!; while :; do sleep 0.05; done");
  spec.deadline = milliseconds(300);
  const ExecReport report = run(spec);
  EXPECT_EQ(report.end, ExecEnd::deadline);
  EXPECT_EQ(report.signal, SIGKILL);
  EXPECT_GE(report.ended - report.started, milliseconds(300));
  std::string child = machine().get(work("logs/tool.out"), 100).value_or("");
  EXPECT_FALSE(process_lives(child.substr(0, child.find('\n'))));
}

TEST_P(MachineContract, SleepingProgramIsStalled) {
  ExecSpec spec = tool({"sleep", "60"});
  spec.stall = milliseconds(500);
  const ExecReport report = run(spec);
  EXPECT_EQ(report.end, ExecEnd::stalled);
  EXPECT_GE(report.ended - report.started, milliseconds(500));
  EXPECT_LT(report.ended - report.started, seconds(50));
}

TEST_P(MachineContract, BusyProgramIsNotStalled) {
  ExecSpec spec =
      shell("i=0; while [ $i -lt 40 ]; do i=$((i+1)); timeout 0.05 yes >/dev/null; done");
  spec.stall = milliseconds(500);
  EXPECT_EQ(run(spec).end, ExecEnd::exited);
}

TEST_P(MachineContract, WritingProgramIsNotStalled) {
  ExecSpec spec = shell(
      "i=0; while [ $i -lt 20 ]; do i=$((i+1)); head -c 65536 /dev/zero >>data; sleep 0.08; done");
  spec.stall = milliseconds(600);
  EXPECT_EQ(run(spec).end, ExecEnd::exited);
}

TEST_P(MachineContract, StopAsksFirst) {
  const int handle =
      start_until_ready("trap 'exit 7' TERM; : >$READY; while :; do sleep 0.05; done");
  const ExecReport report = machine().stop(handle, seconds(30));
  EXPECT_EQ(report.end, ExecEnd::stopped);
  EXPECT_EQ(report.exit_code, 7);
}

TEST_P(MachineContract, StopKillsTheStubborn) {
  const int handle = start_until_ready("trap '' TERM; : >$READY; while :; do sleep 0.05; done");
  const ExecReport report = machine().stop(handle, milliseconds(200));
  EXPECT_EQ(report.end, ExecEnd::stopped);
  EXPECT_EQ(report.signal, SIGKILL);
}

TEST_P(MachineContract, StopReachesThePaused) {
  const int handle = start_until_ready(": >$READY; sleep 60");
  machine().signal(handle, SIGSTOP);
  const ExecReport report = machine().stop(handle, seconds(30));
  EXPECT_EQ(report.signal, SIGTERM);
}

TEST_P(MachineContract, StopAfterTheEndReportsTheEnd) {
  const int handle = machine().start(shell("exit 5"));
  wait(handle);
  const ExecReport report = machine().stop(handle, seconds(1));
  EXPECT_EQ(report.end, ExecEnd::exited);
  EXPECT_EQ(report.exit_code, 5);
}

TEST_P(MachineContract, DaemonIsLeftAndGoesWithStop) {
  // Forked twice, a session of its own, no descriptor and no parent in common with the program,
  // which ends once the daemon has said its number.
  const int handle = machine().start(
      shell("(setsid sh -c 'echo $$ >daemon; exec sleep 62 </dev/null >/dev/null 2>&1' &) & "
            "while [ ! -s daemon ]; do sleep 0.01; done"));
  const ExecReport report = wait(handle);
  EXPECT_EQ(report.end, ExecEnd::exited);
  EXPECT_EQ(report.left_processes, std::vector<std::string>{"sleep"});
  std::string daemon = machine().get(work("daemon"), 100).value_or("");
  ASSERT_FALSE(daemon.empty());
  daemon.pop_back();
  EXPECT_TRUE(process_lives(daemon));
  machine().stop(handle, seconds(10));
  EXPECT_FALSE(process_lives(daemon));
}

TEST_P(MachineContract, QuickHelpersAreNotLeft) {
  EXPECT_TRUE(run(shell("sleep 0.03 &")).left_processes.empty());
}

TEST_P(MachineContract, PausesAndContinues) {
  const int handle = start_until_ready(": >$READY; while :; do echo x >>beats; sleep 0.01; done");
  const auto beats = [&] { return machine().get(work("beats"), 1 << 20).value_or("").size(); };
  machine().signal(handle, SIGSTOP);
  std::this_thread::sleep_for(milliseconds(50));
  const size_t paused = beats();
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_EQ(beats(), paused);
  machine().signal(handle, SIGCONT);
  for (int i = 0; i < 1000 && beats() == paused; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_GT(beats(), paused);
  machine().stop(handle, seconds(10));
}

TEST_P(MachineContract, ProgramsStartClean) {
  EXPECT_EQ(output_of("readlink /proc/self/fd/0"), "/dev/null");
  EXPECT_EQ(output_of("echo $LC_ALL"), "C.UTF-8");
  EXPECT_EQ(output_of("ls -A \"$HOME\" | wc -l"), "0");
  EXPECT_EQ(output_of("test -d \"$TMPDIR\" && echo yes"), "yes");
  EXPECT_EQ(output_of("pwd"), machine().info().work);
  // ls itself opens the folder: 0, 1, 2 and that one.
  EXPECT_EQ(output_of("ls /proc/self/fd | wc -l"), "4");
  // Fields 1, 5 and 6 of stat: process, group and session.
  EXPECT_EQ(output_of("set -- $(cat /proc/$$/stat); test $1 = $5 && test $1 = $6 && echo own"),
            "own");
  EXPECT_EQ(output_of("exec grep SigBlk /proc/self/status"), "SigBlk:\t0000000000000000");
}

TEST_P(MachineContract, PassesEnvironmentAndArgumentsAsTheyAre) {
  ExecSpec spec = tool({"printenv", "ODD"});
  const std::string odd = "a b\"\\\n\xff\xe4$HOME";
  spec.environment = {{"ODD", odd}};
  spec.stdout_path = work("odd");
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_EQ(machine().get(work("odd"), 100), odd + '\n');
  spec.argv = {"printf", "%s", odd};
  run(spec);
  EXPECT_EQ(machine().get(work("odd"), 100), odd);
}

}  // namespace
}  // namespace fairwire
