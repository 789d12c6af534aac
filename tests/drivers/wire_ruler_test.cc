// The wire held against a ruler: single datagrams of every protocol with real sockets, what they
// cost and how long they take.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>

#include "base/file_descriptor.h"
#include "drivers/sweep.h"
#include "drivers/wires/bare_network.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_wire.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
constexpr uint16_t kPort = 7005;

// 16 bytes of IPv6 hold a mapped IPv4 address, too: one kind of socket serves both.
sockaddr_in6 address(const std::string& host, uint16_t port) {
  sockaddr_in6 result{};
  result.sin6_family = AF_INET6;
  result.sin6_port = htons(port);
  ::inet_pton(AF_INET6, host.c_str(), &result.sin6_addr);
  return result;
}

class WireRulerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "namespaces need root";
    if (::access("/dev/net/tun", R_OK | W_OK) != 0) GTEST_SKIP() << "no /dev/net/tun";
    if (!host_has_ipv6()) GTEST_SKIP() << "no IPv6";
  }

  // Ann's link up has the rate, her path to Bob the loss, both ways the delay.
  void lay(int64_t bits_per_second, double loss, Nanoseconds delay) {
    TunWireOptions options;
    options.self_binary = FAIRWIRE_TEST_AGENT;
    options.token = owner_token();
    options.seed = 1;
    options.access = {{"ann", {bits_per_second, 0, {}}, {}}};
    options.paths = {{"ann", "bob", delay, {}, loss, {}}, {"bob", "ann", delay, {}, 0, {}}};
    wire_ = make_tun_wire({{"ann", ann_.namespace_pid()}, {"bob", bob_.namespace_pid()}}, options);
    bob_.run([&] { bob_socket_ = datagram_socket(kPort); });
    ann_.run([&] { ann_socket_ = datagram_socket(0); });
  }

  static FileDescriptor datagram_socket(uint16_t port) {
    FileDescriptor made(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const int size = 8 << 20;
    ::setsockopt(made.get(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    const sockaddr_in6 own = address("::", port);
    EXPECT_EQ(::bind(made.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
    return made;
  }

  void send(const std::string& host, size_t size) {
    const std::vector<char> bytes(size);
    const sockaddr_in6 to = address(host, kPort);
    ASSERT_EQ(::sendto(ann_socket_.get(), bytes.data(), size, 0,
                       reinterpret_cast<const sockaddr*>(&to), sizeof to),
              static_cast<ssize_t>(size));
  }

  // Sizes of what Bob gets until nothing comes for `quiet`.
  std::vector<ssize_t> arrived(milliseconds quiet) {
    std::vector<ssize_t> sizes;
    char buffer[65536];
    pollfd watched{bob_socket_.get(), POLLIN, 0};
    while (::poll(&watched, 1, static_cast<int>(quiet.count())) == 1) {
      sizes.push_back(::recv(bob_socket_.get(), buffer, sizeof buffer, 0));
    }
    return sizes;
  }

  // From the request to the kernel's answer.
  Nanoseconds ping(int family, const std::string& host) {
    const bool six = family == AF_INET6;
    FileDescriptor raw;
    ann_.run([&] {
      raw = FileDescriptor(::socket(family, SOCK_RAW | SOCK_CLOEXEC,
                                    six ? IPPROTO_ICMPV6 : static_cast<int>(IPPROTO_ICMP)));
    });
    // type, code, checksum (the kernel's for ICMPv6), identifier, number
    unsigned char request[8] = {
        static_cast<unsigned char>(six ? 128 : 8), 0, 0xf7, 0xff, 0, 0, 0, 0};
    sockaddr_in6 to6 = address(host, 0);
    sockaddr_in to4{};
    to4.sin_family = AF_INET;
    ::inet_pton(AF_INET, host.c_str(), &to4.sin_addr);
    const auto* to =
        six ? reinterpret_cast<const sockaddr*>(&to6) : reinterpret_cast<const sockaddr*>(&to4);
    const Nanoseconds start = monotonic_now();
    EXPECT_EQ(::sendto(raw.get(), request, sizeof request, 0, to, six ? sizeof to6 : sizeof to4),
              8);
    pollfd watched{raw.get(), POLLIN, 0};
    unsigned char answer[256] = {};
    while (::poll(&watched, 1, 2000) == 1) {
      const ssize_t size = ::recv(raw.get(), answer, sizeof answer, 0);
      const size_t header = six ? 0 : 20;
      if (size > 0 && answer[header] == (six ? 129 : 0)) return monotonic_now() - start;
    }
    return Nanoseconds::max();
  }

  BareNetwork ann_;
  BareNetwork bob_;
  std::unique_ptr<Wire> wire_;
  FileDescriptor ann_socket_;
  FileDescriptor bob_socket_;
};

// 50 bytes of IP and 38 of framing at 1 kB/s: 88 ms each, from the first one on.
TEST_F(WireRulerTest, FiftyBytesAtAKilobyteASecond) {
  lay(8000, 0, {});
  const Nanoseconds start = monotonic_now();
  send("::ffff:10.77.0.2", 22);
  send("::ffff:10.77.0.2", 22);
  pollfd watched{bob_socket_.get(), POLLIN, 0};
  char buffer[64];
  for (const int number : {1, 2}) {
    ASSERT_EQ(::poll(&watched, 1, 1000), 1);
    const Nanoseconds elapsed = monotonic_now() - start;
    EXPECT_EQ(::recv(bob_socket_.get(), buffer, sizeof buffer, 0), 22);
    EXPECT_GE(elapsed, milliseconds(88) * number);
    EXPECT_LE(elapsed, milliseconds(88) * number + milliseconds(40));
  }
}

TEST_F(WireRulerTest, LossIsWithinThreeSigmaOverRealSockets) {
  constexpr int kNumber = 20'000;
  constexpr double kLoss = 0.02;
  lay(0, kLoss, {});
  size_t got = 0;
  for (int i = 0; i < kNumber; i += 500) {
    for (int j = 0; j < 500; ++j) send("::ffff:10.77.0.2", 100);
    got += arrived(milliseconds(30)).size();
  }
  got += arrived(milliseconds(300)).size();
  const PairCount pair = wire_->read().pairs[0];
  EXPECT_EQ(pair.packets + pair.dropped_packets, kNumber);
  EXPECT_EQ(static_cast<int64_t>(got), pair.packets);
  const double sigma = std::sqrt(kNumber * kLoss * (1 - kLoss));
  EXPECT_NEAR(static_cast<double>(pair.dropped_packets), kNumber * kLoss, 3 * sigma);
}

TEST_F(WireRulerTest, UdpOfBothFamiliesCostsItsBytes) {
  lay(0, 0, {});
  send("::ffff:10.77.0.2", 1000);
  EXPECT_EQ(arrived(milliseconds(200)), std::vector<ssize_t>{1000});
  EXPECT_EQ(wire_->read().pairs[0].bytes, 1000 + 8 + 20 + 38);
  send("fd77::2", 1000);
  EXPECT_EQ(arrived(milliseconds(200)), std::vector<ssize_t>{1000});
  EXPECT_EQ(wire_->read().pairs[0].bytes, 2 * (1000 + 8 + 38) + 20 + 40);
}

// One system call, forty datagrams: each is a segment that is paid for, drawn for and delivered.
TEST_F(WireRulerTest, UdpWithSegmentationOffloadIsItsDatagrams) {
  lay(0, 0, {});
  const int each = 1000;
  ASSERT_EQ(::setsockopt(ann_socket_.get(), SOL_UDP, UDP_SEGMENT, &each, sizeof each), 0);
  for (const char* host : {"::ffff:10.77.0.2", "fd77::2"}) {
    send(host, 40'000);
    EXPECT_EQ(arrived(milliseconds(200)), std::vector<ssize_t>(40, 1000)) << host;
  }
  EXPECT_EQ(wire_->read().pairs[0].packets, 80);
  EXPECT_EQ(wire_->read().pairs[0].bytes, 40 * (1066 + 1086));
}

TEST_F(WireRulerTest, PingsTakeTheDeclaredRoundTrip) {
  lay(0, 0, milliseconds(15));
  for (const auto& [family, host] :
       {std::pair(AF_INET, "10.77.0.2"), std::pair(AF_INET6, "fd77::2")}) {
    const Nanoseconds time = ping(family, host);
    EXPECT_GE(time, milliseconds(30)) << host;
    EXPECT_LE(time, milliseconds(50)) << host;
  }
}

}  // namespace
}  // namespace fairwire
