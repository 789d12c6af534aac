#include "drivers/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "base/temp_dir.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SpawnOptions shell(const std::string& script) {
  SpawnOptions options;
  options.argv = {"sh", "-c", script};
  options.inherit_environment = true;
  return options;
}

TEST(Subprocess, ReportsExitCodeSignalAndUsage) {
  Subprocess child(shell("exit 42"));
  const auto status = child.wait(seconds(60));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->exited());
  EXPECT_EQ(status->exit_code(), 42);
  EXPECT_EQ(status->signal(), 0);
  EXPECT_GT(status->usage.ru_maxrss, 0);
  EXPECT_EQ(child.wait(Nanoseconds::zero())->exit_code(), 42);  // again

  Subprocess killed(shell("kill -9 $$"));
  EXPECT_EQ(killed.wait(seconds(60))->signal(), SIGKILL);
  EXPECT_EQ(killed.wait(seconds(60))->exit_code(), -1);
}

TEST(Subprocess, StampsRightBeforeExec) {
  const Nanoseconds before = monotonic_now();
  Subprocess child(shell("exit 0"));
  EXPECT_GE(child.started(), before);
  EXPECT_LE(child.started(), monotonic_now());
}

TEST(Subprocess, SaysWhyItCouldNotStart) {
  const auto error_of = [](const SpawnOptions& options) {
    try {
      Subprocess child(options);
    } catch (const SystemError& error) {
      return error.attempt + ' ' + error.path + ' ' + std::to_string(error.error_number);
    }
    return std::string("started");
  };
  SpawnOptions options;
  options.inherit_environment = true;
  options.argv = {"no-such-program-anywhere"};
  EXPECT_EQ(error_of(options), "start no-such-program-anywhere " + std::to_string(ENOENT));
  options.argv = {"/etc/passwd"};
  EXPECT_EQ(error_of(options), "start /etc/passwd " + std::to_string(EACCES));
  options.argv = {"true"};
  options.directory = "/no/such";
  EXPECT_EQ(error_of(options), "enter the directory /no/such " + std::to_string(ENOENT));
  options.directory.clear();
  options.cgroup_procs = {"/no/such/cgroup.procs"};
  EXPECT_EQ(error_of(options),
            "enter the control group /no/such/cgroup.procs " + std::to_string(ENOENT));
}

TEST(Subprocess, LooksUpInTheChildsPath) {
  const TempDir temp("subprocess-test");
  write_file(temp.path() + "/mytool", "#!/bin/sh\nexit 11\n", 0755);
  write_file(temp.path() + "/notool", "#!/bin/sh\nexit 11\n", 0644);
  SpawnOptions options;
  options.argv = {"mytool"};
  options.environment = {{"PATH", "/no/such::" + temp.path()}};
  EXPECT_EQ(Subprocess(options).wait(seconds(60))->exit_code(), 11);
  EXPECT_THROW(find_program("mytool", "/usr/bin:/bin"), SystemError);
  EXPECT_THROW(find_program("notool", temp.path()), SystemError);
  EXPECT_THROW(find_program("", temp.path()), SystemError);
  EXPECT_EQ(find_program("./x", ""), "./x");
}

TEST(Subprocess, ChildHoldsNothingOfOurs) {
  const FileDescriptor stray(::dup(STDERR_FILENO));  // not close-on-exec
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const CommandResult result =
      run_command({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}, "", seconds(60));
  ::signal(SIGPIPE, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  EXPECT_EQ(result.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  EXPECT_EQ(run_command({"ls", "/proc/self/fd"}, "", seconds(60)).out, "0\n1\n2\n3\n");
}

TEST(Subprocess, DestructorKillsTheGroup) {
  pid_t pid = 0;
  {
    Subprocess child(shell("sleep 60 & wait"));
    pid = child.pid();
    EXPECT_FALSE(child.wait(milliseconds(20)));
  }
  // The orphan is killed, too, but it is init that reaps it.
  for (int i = 0; i < 1000 && ::kill(-pid, 0) == 0; ++i) ::usleep(10'000);
  EXPECT_EQ(::kill(-pid, 0), -1);
}

TEST(RunCommand, FeedsAndCollects) {
  const std::string input(300'000, 'x');
  const CommandResult result =
      run_command({"sh", "-c", "cat; echo err >&2; exit 3"}, input, seconds(60));
  EXPECT_TRUE(result.out == input);
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.status.exit_code(), 3);
  EXPECT_FALSE(result.ok());
}

TEST(RunCommand, BoundsWhatItKeeps) {
  const CommandResult result = run_command({"head", "-c", "3000000", "/dev/zero"}, "", seconds(60));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out.size(), size_t{1} << 20);
}

TEST(RunCommand, SurvivesACommandThatDoesNotRead) {
  const CommandResult result = run_command({"true"}, std::string(1'000'000, 'x'), seconds(60));
  EXPECT_TRUE(result.ok());
}

TEST(RunCommand, KillsAtTheTimeoutAndWaitsForNoDaemon) {
  const CommandResult hung = run_command({"sleep", "60"}, "", milliseconds(100));
  EXPECT_TRUE(hung.timed_out);
  EXPECT_FALSE(hung.ok());
  const CommandResult left = run_command({"sh", "-c", "sleep 2 & echo done"}, "", seconds(60));
  EXPECT_FALSE(left.timed_out);
  EXPECT_EQ(left.out, "done\n");
}

}  // namespace
}  // namespace fairwire
