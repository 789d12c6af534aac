#include "drivers/wires/emulator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/drivers/super_packet.h"

namespace fairwire {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint16_t kSegment = 1448;

PacketRef segments(int count) {
  return packet_of(make_super_packet(Flow::tcp4, static_cast<size_t>(count) * kSegment, kSegment));
}

WireModel model_of(size_t machines) {
  WireModel model;
  model.machines.resize(machines);
  model.paths.resize(machines * machines);
  return model;
}

std::vector<DueChunk> drain(Emulator& emulator, Nanoseconds until) {
  std::vector<DueChunk> all;
  while (auto due = emulator.take_due(until)) all.push_back(*due);
  return all;
}

TEST(Emulator, WithoutLimitsAPacketIsDueAtOnceAndWhole) {
  Emulator emulator(model_of(2));
  emulator.offer(0, 1, segments(44), seconds(1));
  EXPECT_EQ(emulator.next_wake(), seconds(1));
  const auto due = drain(emulator, seconds(1));
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].chunk.count, 44);
  EXPECT_EQ(emulator.counts(0, 1).arrived.segments, 44);
  EXPECT_EQ(emulator.counts(0, 1).arrived.bytes, 44 * 1538);
  EXPECT_FALSE(emulator.next_wake());
}

TEST(Emulator, SegmentsPayForTheirWireBytesAndTravelInShortChunks) {
  WireModel model = model_of(2);
  model.machines[0].up = {800'000'000, 1 << 20};
  model.paths[1].delay = milliseconds(10);
  Emulator emulator(model);
  emulator.offer(0, 1, segments(44), seconds(1));
  const auto due = drain(emulator, seconds(2));
  ASSERT_EQ(due.size(), 3u);  // 16 segments of 15.38 us each are 246 us
  EXPECT_EQ(due[0].chunk.count, 16);
  EXPECT_EQ(due[0].due, seconds(1) + milliseconds(10) + 16 * Nanoseconds(15'380));
  EXPECT_EQ(due[2].due, seconds(1) + milliseconds(10) + 44 * Nanoseconds(15'380));
}

TEST(Emulator, TwoEqualLinksCostOneMoreSegmentNotOneMoreChunk) {
  WireModel model = model_of(2);
  model.machines[0].up = {800'000'000, 1 << 20};
  model.machines[1].down = {800'000'000, 1 << 20};
  Emulator emulator(model);
  emulator.offer(0, 1, segments(44), seconds(1));
  const auto due = drain(emulator, seconds(2));
  ASSERT_EQ(due.size(), 3u);
  EXPECT_EQ(due[2].due, seconds(1) + 45 * Nanoseconds(15'380));
}

TEST(Emulator, TheQueueCutsASuperPacketAtTheSegment) {
  WireModel model = model_of(2);
  model.machines[0].up = {8'000'000, 10 * 1538};
  Emulator emulator(model);
  emulator.offer(0, 1, segments(44), seconds(1));
  EXPECT_EQ(emulator.counts(0, 1).dropped_up_queue, 34);
  EXPECT_EQ(drain(emulator, seconds(9)).size(), 10u);  // one chunk each: 1.5 ms
  EXPECT_EQ(emulator.counts(0, 1).arrived.segments, 10);
  EXPECT_EQ(emulator.counts(0, 1).sent.segments, 44);
}

TEST(Emulator, TheUplinkIsSharedByAllPathsOfItsMachine) {
  WireModel model = model_of(3);
  model.machines[0].up = {8'000'000, 0};
  Emulator emulator(model);
  emulator.offer(0, 1, segments(1), seconds(1));
  emulator.offer(0, 2, segments(1), seconds(1));
  const auto due = drain(emulator, seconds(2));
  ASSERT_EQ(due.size(), 2u);
  EXPECT_EQ(due[0].due, seconds(1) + microseconds(1538));
  EXPECT_EQ(due[1].due, seconds(1) + microseconds(2 * 1538));
}

TEST(Emulator, TheDownlinkIsSharedAndServesByArrival) {
  WireModel model = model_of(3);
  model.machines[2].down = {8'000'000, 2 * 1538};
  model.paths[0 * 3 + 2].delay = milliseconds(5);
  Emulator emulator(model);
  emulator.offer(0, 2, segments(1), seconds(1));  // there at 5 ms
  emulator.offer(1, 2, segments(1), seconds(1));  // there at once
  emulator.offer(1, 2, segments(3), seconds(1) + milliseconds(5));
  const auto due = drain(emulator, seconds(2));
  ASSERT_EQ(due.size(), 3u);
  EXPECT_EQ(due[0].due, seconds(1) + microseconds(1538));
  EXPECT_EQ(due[1].chunk.from, 0);
  EXPECT_EQ(due[1].due, seconds(1) + microseconds(5000 + 1538));
  EXPECT_EQ(emulator.counts(1, 2).dropped_down_queue, 2);
}

// Being asked late changes nothing: the model goes by its own times.
TEST(Emulator, LateWakingDoesNotChangeTheLink) {
  WireModel model = model_of(2);
  model.machines[0].up = {40'000'000, 1 << 20};
  model.machines[1].down = {30'000'000, 1 << 20};
  model.paths[1].delay = milliseconds(40);
  std::vector<Nanoseconds> times[2];
  for (const int late : {0, 1}) {
    Emulator emulator(model);
    for (int i = 0; i < 100; ++i) {
      emulator.offer(0, 1, segments(4), milliseconds(2 * i));
      if (late != 0) continue;
      for (const DueChunk& due : drain(emulator, milliseconds(2 * i))) {
        times[late].push_back(due.due);
      }
    }
    for (const DueChunk& due : drain(emulator, seconds(5))) times[late].push_back(due.due);
  }
  EXPECT_EQ(times[0].size(), 400u);
  EXPECT_EQ(times[0], times[1]);
}

TEST(Emulator, NextWakeIsNeverAfterTheNextChunk) {
  WireModel model = model_of(3);
  for (AccessModel& access : model.machines) access = {{700'000'007, 1 << 20}, {33'000'001, 0}};
  for (PathModel& path : model.paths) path.delay = microseconds(777);
  model.paths[5].jitter = milliseconds(1);
  Emulator emulator(model);
  int chunks = 0;
  for (int i = 0; i < 300; ++i) {
    const Nanoseconds now = microseconds(100 * i);
    emulator.offer(i % 3, (i + 1 + i % 2) % 3, segments(1 + i % 5), now);
  }
  while (const auto wake = emulator.next_wake()) {
    const auto due = emulator.take_due(*wake);
    if (due) {
      EXPECT_EQ(due->due, *wake) << "woken too late";
      ++chunks;
      continue;
    }
    ASSERT_LT(*wake, *emulator.next_wake()) << "nothing due, and no progress";
  }
  EXPECT_GT(chunks, 300);
}

std::vector<int> losses(uint64_t seed, int number, int per_packet, double loss) {
  WireModel model = model_of(2);
  model.paths[1].loss = loss;
  model.paths[1].seed = seed;
  Emulator emulator(model);
  std::vector<bool> arrived(static_cast<size_t>(number));
  const PacketRef packet = segments(per_packet);
  for (int i = 0; i < number; i += per_packet) {
    emulator.offer(0, 1, packet, microseconds(i));
    for (const DueChunk& due : drain(emulator, microseconds(i))) {
      for (int k = 0; k < due.chunk.count; ++k) {
        arrived[static_cast<size_t>(i + due.chunk.first + k)] = true;
      }
    }
  }
  std::vector<int> lost;
  for (int i = 0; i < number; ++i) {
    if (!arrived[static_cast<size_t>(i)]) lost.push_back(i);
  }
  return lost;
}

TEST(Emulator, LossGoesBySeedAndSegmentNumberAlone) {
  const auto one = losses(7, 44'000, 44, 0.01);
  EXPECT_EQ(one, losses(7, 44'000, 44, 0.01));
  EXPECT_EQ(one, losses(7, 44'000, 1, 0.01)) << "whatever the packets are";
  EXPECT_NE(one, losses(8, 44'000, 44, 0.01));
  EXPECT_EQ(losses(7, 4400, 44, 0).size(), 0u);
  EXPECT_EQ(losses(7, 4400, 44, 1).size(), 4400u);
}

TEST(Emulator, LossIsWithinThreeSigma) {
  for (const double loss : {0.001, 0.01, 0.1}) {
    constexpr int kNumber = 440'000;
    const double expected = loss * kNumber;
    const double sigma = std::sqrt(expected * (1 - loss));
    EXPECT_NEAR(static_cast<double>(losses(11, kNumber, 44, loss).size()), expected, 3 * sigma);
  }
}

TEST(Emulator, JitterStaysInItsBoundsAndKeepsOrder) {
  WireModel model = model_of(2);
  model.paths[1].delay = milliseconds(10);
  model.paths[1].jitter = milliseconds(3);
  model.paths[1].seed = 5;
  Emulator emulator(model);
  for (int i = 0; i < 1000; ++i) emulator.offer(0, 1, segments(1), milliseconds(5 * i));
  const auto due = drain(emulator, seconds(60));
  ASSERT_EQ(due.size(), 1000u);
  Nanoseconds sum{};
  for (int i = 0; i < 1000; ++i) {
    const Nanoseconds over = due[static_cast<size_t>(i)].due - milliseconds(5 * i + 10);
    EXPECT_GE(over, Nanoseconds(0));
    EXPECT_LE(over, milliseconds(3));
    sum += over;
  }
  EXPECT_NEAR(static_cast<double>((sum / 1000).count()), 1.5e6, 1e5);

  Emulator close(model);  // at once: draws would put them out of order
  for (int i = 0; i < 1000; ++i) close.offer(0, 1, segments(1), microseconds(i));
  Nanoseconds before{};
  for (const DueChunk& chunk : drain(close, seconds(60))) {
    EXPECT_GE(chunk.due, before);
    before = chunk.due;
  }
}

// C01: packets in flight are not queue.
TEST(Emulator, TheDelayLineHoldsWhateverIsInFlight) {
  WireModel model = model_of(2);
  model.machines[0].up = {1'000'000'000, 64 * 1538};
  model.paths[1].delay = milliseconds(1000);
  Emulator emulator(model);
  const PacketRef packet = segments(1);
  for (int i = 0; i < 77'000; ++i) {  // 95 % of the rate for a second
    emulator.offer(0, 1, packet, Nanoseconds(12'304) * 100 / 95 * i);
  }
  EXPECT_EQ(emulator.counts(0, 1).dropped(), 0);
  EXPECT_EQ(drain(emulator, seconds(9)).size(), 77'000u);
}

// The work for a packet does not grow with those that came before or wait.
TEST(Emulator, WorkIsProportionalToSegments) {
  const auto work = [](int packets) {
    WireModel model = model_of(4);
    for (AccessModel& access : model.machines) {
      access = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    }
    for (PathModel& path : model.paths) path.delay = seconds(1);
    Emulator emulator(model);
    const PacketRef packet = segments(3);
    for (int i = 0; i < packets; ++i) {
      emulator.offer(i % 4, (i + 1) % 4, packet, microseconds(i));
      emulator.next_wake();
    }
    while (const auto wake = emulator.next_wake()) emulator.take_due(*wake);
    return static_cast<double>(emulator.steps());
  };
  const double ratio = work(16'000) / work(2'000);
  EXPECT_GT(ratio, 7.8);
  EXPECT_LT(ratio, 8.2);
}

TEST(Emulator, WhatCouldNotBeWrittenHasNotArrived) {
  Emulator emulator(model_of(2));
  emulator.offer(0, 1, segments(3), seconds(1));
  emulator.could_not_write(emulator.take_due(seconds(1))->chunk);
  EXPECT_EQ(emulator.counts(0, 1).arrived.segments, 0);
  EXPECT_EQ(emulator.counts(0, 1).arrived.bytes, 0);
  EXPECT_EQ(emulator.counts(0, 1).dropped_write, 3);
}

TEST(Emulator, ModelsThatDoNotFitAreRefused) {
  WireModel model = model_of(2);
  model.paths.pop_back();
  EXPECT_THROW(Emulator{model}, std::invalid_argument);
  EXPECT_THROW(Emulator{model_of(33)}, std::invalid_argument);
}

}  // namespace
}  // namespace fairwire
