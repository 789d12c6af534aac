#include "drivers/wires/packet_queue.h"

#include <gtest/gtest.h>

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// C03: a 50-byte packet on a 1 000 byte/s link takes 50 ms, the first one and after idle alike.
TEST(LinkClock, SerialisationTakesItsTimeFromTheFirstPacketOnAndAfterIdle) {
  LinkClock link({.bits_per_second = 8000, .queue_bytes = 1000});
  EXPECT_EQ(link.admit(50, seconds(1)), seconds(1) + milliseconds(50));
  EXPECT_EQ(link.admit(50, seconds(11)), seconds(11) + milliseconds(50));
  EXPECT_EQ(link.admit(50, seconds(11)), seconds(11) + milliseconds(100));
}

TEST(LinkClock, DropsAtTheByteTheQueueIsFull) {
  LinkClock link({.bits_per_second = 8000, .queue_bytes = 300});
  EXPECT_TRUE(link.admit(200, seconds(1)));
  EXPECT_FALSE(link.admit(101, seconds(1)));
  EXPECT_TRUE(link.admit(100, seconds(1)));
  EXPECT_EQ(link.backlog_bytes(seconds(1)), 300);
  EXPECT_FALSE(link.admit(1, seconds(1)));
  // A millisecond later one byte has gone.
  EXPECT_EQ(link.backlog_bytes(seconds(1) + milliseconds(1)), 299);
  EXPECT_FALSE(link.admit(2, seconds(1) + milliseconds(1)));
  EXPECT_TRUE(link.admit(1, seconds(1) + milliseconds(1)));
}

TEST(LinkClock, AnIdleLinkTakesAPacketLargerThanItsQueue) {
  LinkClock link({.bits_per_second = 8000, .queue_bytes = 10});
  EXPECT_TRUE(link.admit(1500, seconds(1)));
  EXPECT_FALSE(link.admit(1, seconds(1)));
  EXPECT_TRUE(link.admit(1500, seconds(3)));
}

TEST(LinkClock, FractionsOfNanosecondsAddUp) {
  LinkClock link({.bits_per_second = 3'000'000'000, .queue_bytes = 0});
  std::optional<Nanoseconds> done;
  for (int i = 0; i < 3'000'000; ++i) done = link.admit(1, Nanoseconds(0));
  EXPECT_EQ(done, milliseconds(8));
}

TEST(LinkClock, WithoutALimitNothingWaits) {
  LinkClock link;
  EXPECT_EQ(link.admit(1'000'000, seconds(1)), seconds(1));
  EXPECT_EQ(link.backlog_bytes(seconds(1)), 0);
}

TEST(DelayLine, KeepsOrderAndNeverDrops) {
  DelayLine<int> line;
  EXPECT_FALSE(line.next_wake());
  for (int i = 0; i < 100'000; ++i) line.push(i, Nanoseconds(i % 7));
  EXPECT_EQ(line.next_wake(), Nanoseconds(0));
  EXPECT_EQ(line.due(Nanoseconds(0))->second, 0);
  EXPECT_FALSE(line.due(Nanoseconds(0)));
  Nanoseconds before{};
  for (int i = 1; i < 100'000; ++i) {
    const auto item = line.due(Nanoseconds(6));
    ASSERT_TRUE(item);
    ASSERT_EQ(item->second, i);
    ASSERT_GE(item->first, before);
    before = item->first;
  }
  EXPECT_TRUE(line.empty());
}

}  // namespace
}  // namespace fairwire
