#include "drivers/meter.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/agent/stall_watch.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Interfaces, AreReadWithoutLoopback) {
  const auto counts = parse_interfaces(
      "Inter-|   Receive                            |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets errs drop\n"
      "    lo:    3193      29    0    0    0     0          0         0     3193      29    0    "
      "0 "
      "   0     0       0          0\n"
      "eth0.7:1605 3173 0 4 0 0 0 0 146828 1886 0 5 0 0 0 0\n"
      "  cut: 1 2 3\n");
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0], (InterfaceCount{"eth0.7", 1605, 146828, 3173, 1886, 9}));
}

TEST(ProcessTable, ReadsStatsOfOddNames) {
  const auto stat =
      parse_process_stat("12 (a) R (b) S 1 2 3 4 5 6 7 8 9 10 100 50 30 20 15 16 17 18 777 20\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 1);
  EXPECT_EQ(stat->start_ticks, 777u);
  EXPECT_EQ(stat->user_us * ::sysconf(_SC_CLK_TCK), 130'000'000);
  EXPECT_EQ(stat->system_us * ::sysconf(_SC_CLK_TCK), 70'000'000);
  EXPECT_FALSE(parse_process_stat("12 (a) S 1 2"));
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(process_stat(-1));
  EXPECT_EQ(anonymous_bytes(-1), 0);
  EXPECT_GT(anonymous_bytes(::getpid()), 0);
}

// The port's socket bound to `address`; the kernel picks the port.
FileDescriptor bound_socket(uint32_t address) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(address);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  return socket;
}

TEST(NetworkSockets, LoopbackIsNone) {
  const std::vector<pid_t> self{::getpid()};
  EXPECT_FALSE(hold_network_socket(self));
  const FileDescriptor local = bound_socket(INADDR_LOOPBACK);
  EXPECT_FALSE(hold_network_socket(self));
  const FileDescriptor wide = bound_socket(INADDR_ANY);
  EXPECT_TRUE(hold_network_socket(self));
  EXPECT_FALSE(hold_network_socket({}));
}

bool wire() {
  return true;
}
bool noise() {
  return false;
}

TEST(StallWatch, FiresAfterOneQuietWindow) {
  StallWatch watch(seconds(10), seconds(100), {});
  EXPECT_FALSE(watch.stalled(seconds(109), {}, wire));
  EXPECT_TRUE(watch.stalled(seconds(110), {}, wire));
}

TEST(StallWatch, EachKindOfProgressBeginsAWindow) {
  const Activity kProgress[] = {{1024, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 16'384, 0}, {0, 0, 0, 10'000}};
  for (const Activity& seen : kProgress) {
    StallWatch watch(seconds(10), seconds(100), {});
    EXPECT_FALSE(watch.stalled(seconds(111), seen, wire));
    EXPECT_FALSE(watch.stalled(seconds(120), seen, wire));
    EXPECT_TRUE(watch.stalled(seconds(121), seen, wire));
  }
}

TEST(StallWatch, LessThanTheBoundIsNoProgress) {
  StallWatch watch(seconds(10), seconds(100), {5000, 70, 900, 300});
  EXPECT_TRUE(watch.stalled(seconds(110), {5000 + 1023, 70, 900 + 16'383, 300 + 9999}, wire));
}

TEST(StallWatch, SlowProgressAddsUp) {
  StallWatch watch(seconds(10), seconds(0), {});
  for (int second = 1; second < 100; ++second) {
    const Activity seen{second * 200, 0, 0, 0};  // a slow wire: 1024 bytes take six seconds
    EXPECT_FALSE(watch.stalled(seconds(second), seen, wire));
  }
}

TEST(StallWatch, NoiseOfTheHostIsNotTheTools) {
  StallWatch watch(seconds(10), seconds(100), {});
  EXPECT_TRUE(watch.stalled(seconds(110), {1'000'000, 0, 0, 0}, noise));
}

TEST(StallWatch, ZeroIsOff) {
  StallWatch watch(Nanoseconds::zero(), seconds(100), {});
  EXPECT_FALSE(watch.stalled(seconds(1'000'000), {}, wire));
  EXPECT_GE(StallWatch(milliseconds(1), seconds(0), {}).period(), milliseconds(20));
  EXPECT_LE(StallWatch(seconds(600), seconds(0), {}).period(), seconds(1));
}

}  // namespace
}  // namespace fairwire
