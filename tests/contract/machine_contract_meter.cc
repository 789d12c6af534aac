#include <csignal>

#include "tests/contract/machine_contract.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int64_t kMiB = int64_t{1} << 20;

TEST_P(MachineContract, CpuOfABusyLoopAgreesWithItsUsage) {
  const MeterReading before = machine().meter(false);
  // The child's time counts through wait4, the orphan's does not: both must be in the meter.
  const ExecReport report = run(shell("i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done"));
  const MeterReading after = machine().meter(false);
  const auto used = static_cast<double>(report.user_us + report.system_us);
  const auto metered = static_cast<double>(after.cpu_total_us - before.cpu_total_us);
  EXPECT_GT(used, 100'000);
  EXPECT_NEAR(metered, used, 0.2 * used);
  EXPECT_GE(before.cpu_total_us, 0);
  if (after.cpu_user_us >= 0) {
    EXPECT_NEAR(static_cast<double>(after.cpu_user_us + after.cpu_system_us),
                static_cast<double>(after.cpu_total_us), 0.01 * metered + 10'000);
  }
}

TEST_P(MachineContract, CpuOfOrphansCounts) {
  const MeterReading before = machine().meter(false);
  const int handle = machine().start(
      shell("(setsid sh -c 'i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; : >done' &) &"));
  wait(handle);
  EXPECT_TRUE(machine().wait_for_file(work("done"), seconds(60)));
  machine().stop(handle, seconds(10));
  const MeterReading after = machine().meter(false);
  EXPECT_GT(after.cpu_total_us - before.cpu_total_us, 100'000);
}

TEST_P(MachineContract, SwitchesOfEndedAndLiveProgramsCount) {
  const MeterReading before = machine().meter(false);
  run(shell("i=0; while [ $i -lt 20 ]; do sleep 0.001; i=$((i+1)); done"));
  const MeterReading ended = machine().meter(false);
  EXPECT_GE(ended.voluntary_switches - before.voluntary_switches, 20);
  const int handle =
      machine().start(shell("i=0; while [ $i -lt 20 ]; do sleep 0.001; i=$((i+1)); done; "
                            ": >ready; exec sleep 60"));
  EXPECT_TRUE(machine().wait_for_file(work("ready"), seconds(30)));
  EXPECT_GT(machine().meter(false).voluntary_switches, ended.voluntary_switches);
  machine().stop(handle, seconds(5));
  EXPECT_GE(machine().meter(false).voluntary_switches, ended.voluntary_switches + 20);
}

TEST_P(MachineContract, PeakMemoryIsWhatWasTouched) {
  machine().meter(true);
  // dd fills a buffer of 64 MiB and then hangs on a pipe that nobody reads for a while.
  run(shell("dd if=/dev/zero bs=64M count=1 2>/dev/null | sleep 0.5"));
  const MeterReading reading = machine().meter(true);
  // The kernel keeps its counts of pages by CPU and adds them up only now and then.
  EXPECT_GE(reading.peak_anonymous_bytes, 63 * kMiB);
  EXPECT_LT(reading.peak_anonymous_bytes, 80 * kMiB);
  EXPECT_GT(reading.memory_period_ms, 0);
  EXPECT_LT(machine().meter(false).peak_anonymous_bytes, 16 * kMiB);
}

TEST_P(MachineContract, FilesInMemoryAreNoToolMemory) {
  machine().meter(true);
  run(shell("head -c 33554432 /dev/zero >file; sleep 0.1"));
  EXPECT_LT(machine().meter(false).peak_anonymous_bytes, 16 * kMiB);
}

TEST_P(MachineContract, DiskBytesOfShortLivedProcessesCount) {
  // Only where some folder lies on a disk: all that is known of here is the usual temporary one.
  const std::string file_system = output_of("stat -f -c %T /var/tmp");
  if (file_system == "tmpfs") GTEST_SKIP() << "/var/tmp is in memory";
  if (file_system == "overlayfs") GTEST_SKIP() << "/var/tmp is an overlay, perhaps in memory";
  if (output_of("test -w /var/tmp && echo yes || true") != "yes")
    GTEST_SKIP() << "no writable disk";
  const MeterReading before = machine().meter(false);
  if (before.disk_written_bytes < 0) GTEST_SKIP() << "the kernel does not count disk bytes";
  run(shell("f=$(mktemp -p /var/tmp); (head -c 1048576 /dev/zero >$f; sync $f) ; rm $f"));
  const MeterReading after = machine().meter(false);
  EXPECT_GE(after.disk_written_bytes - before.disk_written_bytes, kMiB);
}

TEST_P(MachineContract, MeterNeverRunsBackwards) {
  const int handle =
      machine().start(shell("i=0; while [ $i -lt 30 ]; do i=$((i+1)); sh -c 'true | true'; done"));
  MeterReading last = machine().meter(false);
  while (!machine().wait(handle, milliseconds(5))) {
    const MeterReading now = machine().meter(false);
    EXPECT_GE(now.cpu_total_us, last.cpu_total_us);
    EXPECT_GT(now.at, last.at);
    last = now;
  }
}

TEST_P(MachineContract, CountsTheSyncsOfToolsWhenAskedTo) {
  EXPECT_EQ(machine().meter(false).fsyncs, -1);
  const std::string why_not = machine().count_calls();
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  const int64_t before = machine().meter(false).fsyncs;
  run(shell("touch f; sync f; (sync f); sync --data f"));
  EXPECT_EQ(machine().meter(false).fsyncs - before, 3);
  machine().sync(machine().info().work);
  EXPECT_EQ(machine().meter(false).fsyncs - before, 3) << "our own is not the tool's";
  EXPECT_EQ(machine().count_calls(), "") << "once more is no harm";
  EXPECT_EQ(machine().meter(false).fsyncs - before, 3);
}

TEST_P(MachineContract, LoopbackIsNoWire) {
  for (const InterfaceCount& count : machine().meter(false).interfaces) {
    EXPECT_NE(count.name, "lo");
  }
}

}  // namespace
}  // namespace fairwire
