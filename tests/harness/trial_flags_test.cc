#include "harness/trial_flags.h"

#include <gtest/gtest.h>

#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;

TrialRecord counted(int64_t payload, int64_t counter, int64_t connections = 1) {
  TrialRecord trial = testing_records::pull("c", "v", 1, 1.0);
  trial.machines[1].payload_received_bytes = payload;
  trial.machines[1].connections = connections;
  trial.sources = {{"writer", "direct", 10, counter, "reader"}};
  return trial;
}

TEST(SourcesDisagree, FromNothingToTwoPercentAnd64KiBAConnection) {
  constexpr int64_t kMany = 10'000'000;
  EXPECT_FALSE(sources_disagree(counted(kMany, kMany)));
  EXPECT_TRUE(sources_disagree(counted(kMany - 1, kMany))) << "more than the kernel delivered";
  const int64_t most = kMany + kMany / 50 + (64 << 10);
  EXPECT_FALSE(sources_disagree(counted(most, kMany)));
  EXPECT_TRUE(sources_disagree(counted(most + 1, kMany)));
  EXPECT_FALSE(sources_disagree(counted(most + 1, kMany, 2)));
}

TEST(SourcesDisagree, DuplicatesCountAndLocalBlocksDoNot) {
  TrialRecord trial = counted(2'000'000, 1'000'000);
  EXPECT_TRUE(sources_disagree(trial));
  trial.sources[0].duplicate_bytes = 1'000'000;
  EXPECT_FALSE(sources_disagree(trial));
  trial.sources.push_back({"here", "local", 5, 50'000'000, "reader"});
  EXPECT_FALSE(sources_disagree(trial));
}

TEST(SourcesDisagree, NotAskedWhereItCannotBeKnown) {
  const TrialRecord wrong = counted(1, 1'000'000);
  ASSERT_TRUE(sources_disagree(wrong));
  TrialRecord twice = wrong;
  twice.ops.push_back(twice.ops[0]);
  TrialRecord resumed = wrong;
  resumed.scenario = "resume";
  TrialRecord silent = wrong;
  silent.sources.clear();
  TrialRecord blind = wrong;
  blind.machines[1].connections = blind.machines[1].payload_received_bytes = -1;
  for (const TrialRecord& trial : {twice, resumed, silent, blind}) {
    EXPECT_FALSE(sources_disagree(trial));
  }
}

TEST(StartUp, RoundTripsUntilTheWindowIsTheBandwidthDelayProduct) {
  WireSpec wire;
  wire.access = {{"*", {40'000'000, 0}, {40'000'000, 0}}};
  wire.paths = {{"*", "*", milliseconds(40)}};
  // 400 kB are 276 segments: ten double five times.
  EXPECT_EQ(start_up_time(wire, "a", "b"), 6 * milliseconds(80));
  wire.access = {{"*", {1'000'000'000, 0}, {1'000'000'000, 0}}};
  wire.paths = {{"*", "*", std::chrono::microseconds(30'500)}};  // field case C06
  EXPECT_EQ(start_up_time(wire, "a", "b"), 11 * milliseconds(61));
  wire.access.clear();
  wire.paths[0].delay = milliseconds(40);
  wire.paths[0].bits_per_second = 1'000'000;  // 10 kB: the first window does
  EXPECT_EQ(start_up_time(wire, "a", "b"), milliseconds(80));
  wire.access.clear();
  wire.paths[0].bits_per_second = 0;
  EXPECT_EQ(start_up_time(wire, "a", "b"), Nanoseconds::zero()) << "no rate, nothing to fill";
}

}  // namespace
}  // namespace fairwire
