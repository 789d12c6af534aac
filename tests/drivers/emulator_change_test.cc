// What happens to an emulated wire while it runs, and losses that come in bursts.
#include <gtest/gtest.h>

#include <cmath>

#include "drivers/wires/emulator.h"
#include "tests/drivers/super_packet.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint16_t kSegment = 1448;

PacketRef segments(int count) {
  return packet_of(make_super_packet(Flow::tcp4, static_cast<size_t>(count) * kSegment, kSegment));
}

WireModel two_machines() {
  WireModel model;
  model.machines.resize(2);
  model.paths.resize(4);
  return model;
}

std::vector<DueChunk> drain(Emulator& emulator, Nanoseconds until) {
  std::vector<DueChunk> all;
  while (auto due = emulator.take_due(until)) all.push_back(*due);
  return all;
}

// Lengths of runs of lost segments among `count` sent one by one.
std::vector<int> bursts_of(const WireModel& model, int count) {
  Emulator emulator(model);
  std::vector<int> bursts;
  int run = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t before = emulator.counts(0, 1).dropped_loss;
    emulator.offer(0, 1, segments(1), seconds(1));
    const bool is_lost = emulator.counts(0, 1).dropped_loss > before;
    if (is_lost) ++run;
    if (!is_lost && run > 0) bursts.push_back(std::exchange(run, 0));
    drain(emulator, seconds(1));
  }
  return bursts;
}

TEST(BurstLoss, MeanAndLengthAreThoseOfTheChain) {
  WireModel model = two_machines();
  model.paths[1].burst = {0.01, 0.25, 1};
  model.paths[1].seed = 7;
  constexpr int kCount = 200'000;
  const std::vector<int> bursts = bursts_of(model, kCount);
  double lost = 0;
  for (const int length : bursts) lost += length;
  const double mean = mean_loss(0, model.paths[1].burst);
  EXPECT_NEAR(mean, 0.01 / 0.26, 1e-12);
  // A burst's length is geometric with mean 4 and deviation 3.5; there are about 7 700.
  const auto n = static_cast<double>(bursts.size());
  EXPECT_NEAR(lost / n, 4.0, 4 * 3.5 / std::sqrt(n));
  EXPECT_NEAR(lost / kCount, mean, 0.1 * mean);
}

TEST(BurstLoss, TheSameLuckForWhoeverSends) {
  WireModel model = two_machines();
  model.paths[1].burst = {0.05, 0.5, 0.8};
  model.paths[1].loss = 0.001;
  EXPECT_EQ(bursts_of(model, 5000), bursts_of(model, 5000));
  const std::vector<int> before = bursts_of(model, 5000);
  model.paths[1].seed = 1;
  EXPECT_NE(bursts_of(model, 5000), before);
  // A super-packet meets what its segments would have met one by one.
  Emulator whole(model);
  for (int i = 0; i < 100; ++i) whole.offer(0, 1, segments(40), seconds(1));
  Emulator single(model);
  for (int i = 0; i < 4000; ++i) single.offer(0, 1, segments(1), seconds(1));
  EXPECT_EQ(whole.counts(0, 1).dropped_loss, single.counts(0, 1).dropped_loss);
}

TEST(EmulatorChange, ADownLinkDropsWhatIsSentAndWhatIsDue) {
  WireModel model = two_machines();
  model.paths[1].delay = milliseconds(10);
  Emulator emulator(model);
  emulator.offer(0, 1, segments(3), seconds(1));
  emulator.set_link(1, false);
  EXPECT_TRUE(drain(emulator, seconds(2)).empty()) << "due while it was down";
  EXPECT_EQ(emulator.counts(0, 1).dropped_link_down, 3);
  emulator.offer(1, 0, segments(2), seconds(2));
  EXPECT_EQ(emulator.counts(1, 0).dropped_link_down, 2);
  EXPECT_EQ(emulator.counts(1, 0).sent.segments, 2);
  emulator.set_link(1, true);
  emulator.offer(0, 1, segments(1), seconds(3));
  emulator.offer(1, 0, segments(1), seconds(3));
  EXPECT_EQ(drain(emulator, seconds(4)).size(), 2u);
  EXPECT_EQ(emulator.counts(0, 1).arrived.segments, 1);
}

TEST(EmulatorChange, WhatWaitsTakesAsLongAsItTakesAtTheNewRate) {
  WireModel model = two_machines();
  model.machines[0].up = {12'304'000, 1 << 20};  // 1 ms a segment
  Emulator emulator(model);
  emulator.offer(0, 1, segments(10), seconds(1));
  emulator.set_rate(0, 1'230'400, 0, seconds(1));
  emulator.offer(0, 1, segments(1), seconds(1));  // behind ten of 10 ms each
  const auto due = drain(emulator, seconds(9));
  ASSERT_EQ(due.size(), 11u);
  EXPECT_NEAR(static_cast<double>((due.back().due - seconds(1)).count()), 110e6, 1e4);
  emulator.set_rate(0, 0, 5'000'000, seconds(10));
  emulator.offer(0, 1, segments(1), seconds(10));
  EXPECT_NEAR(static_cast<double>((drain(emulator, seconds(11)).at(0).due - seconds(10)).count()),
              10e6, 1e4)
      << "a direction without a limit gets none";
}

TEST(EmulatorChange, AShorterDelayOvertakesNothing) {
  WireModel model = two_machines();
  model.paths[1].delay = milliseconds(100);
  Emulator emulator(model);
  emulator.offer(0, 1, segments(1), seconds(1));
  emulator.set_delay(0, 1, milliseconds(1));
  emulator.offer(0, 1, segments(1), seconds(1) + milliseconds(10));
  emulator.offer(0, 1, segments(1), seconds(2));
  const auto due = drain(emulator, seconds(3));
  ASSERT_EQ(due.size(), 3u);
  EXPECT_EQ(due[1].due, seconds(1) + milliseconds(100));
  EXPECT_EQ(due[2].due, seconds(2) + milliseconds(1));
}

TEST(EmulatorChange, ABlackholeSwallowsOneWayOnly) {
  Emulator emulator(two_machines());
  emulator.set_blackhole(0, 1, true);
  emulator.offer(0, 1, segments(5), seconds(1));
  emulator.offer(1, 0, segments(5), seconds(1));
  EXPECT_EQ(emulator.counts(0, 1).dropped_blackhole, 5);
  EXPECT_EQ(emulator.counts(0, 1).dropped(), 5);
  EXPECT_EQ(emulator.counts(1, 0).dropped(), 0);
  emulator.set_blackhole(0, 1, false);
  emulator.offer(0, 1, segments(1), seconds(2));
  EXPECT_EQ(drain(emulator, seconds(2)).size(), 2u);
}

}  // namespace
}  // namespace fairwire
