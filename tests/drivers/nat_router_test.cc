// NAT routers with real UDP and TCP: how they map, whom they let in, and which pairs can punch.
#include "drivers/wires/nat_router.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <optional>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/sweep.h"
#include "drivers/wires/tun_wire.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr uint16_t kOwn = 41001;

sockaddr_in address(const std::string& host, uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &result.sin_addr);
  return result;
}

FileDescriptor bound(int kind, uint16_t port) {
  FileDescriptor made(::socket(AF_INET, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
  const sockaddr_in own = address("0.0.0.0", port);
  check_system(::bind(made.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), "bind");
  return made;
}

void send_to(const FileDescriptor& socket, const sockaddr_in& to, char word) {
  ::sendto(socket.get(), &word, 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

struct Letter {
  char word = 0;
  sockaddr_in from{};
};

std::optional<Letter> receive(const FileDescriptor& socket, Nanoseconds within) {
  pollfd watched{socket.get(), POLLIN, 0};
  const auto ms = std::chrono::duration_cast<milliseconds>(within).count();
  if (::poll(&watched, 1, static_cast<int>(ms)) != 1) return std::nullopt;
  Letter letter;
  socklen_t size = sizeof letter.from;
  if (::recvfrom(socket.get(), &letter.word, 1, 0, reinterpret_cast<sockaddr*>(&letter.from),
                 &size) != 1) {
    return std::nullopt;
  }
  return letter;
}

// Ann and Bob, each behind what the test says, and Eve, whom both can reach.
class NatRouterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "namespaces need root";
    if (::access("/dev/net/tun", R_OK | W_OK) != 0) GTEST_SKIP() << "no /dev/net/tun";
  }

  void lay(const NatOptions& ann, const NatOptions& bob, bool open = false) {
    wire_.reset();
    TunWireOptions options;
    options.self_binary = FAIRWIRE_TEST_AGENT;
    options.token = owner_token();
    options.access = {{"ann", {}, {}, ann}, {"bob", {}, {}, bob}};
    options.conditions.routers_open = open;
    wire_ = make_tun_wire({{"ann", ann_.namespace_pid()},
                           {"bob", bob_.namespace_pid()},
                           {"eve", eve_.namespace_pid()}},
                          options);
    eve_.run([&] {
      eve_udp_ = {bound(SOCK_DGRAM, 5001), bound(SOCK_DGRAM, 5002)};
      eve_tcp_ = bound(SOCK_STREAM, 5001);
      ::listen(eve_tcp_.get(), 16);
    });
  }

  static FileDescriptor socket_in(BareNetwork& network, int kind = SOCK_DGRAM) {
    FileDescriptor made;
    network.run([&] { made = bound(kind, kOwn); });
    return made;
  }

  // Where Eve sees the socket when it writes to one of her two ports.
  std::optional<sockaddr_in> seen_by_eve(const FileDescriptor& socket, size_t which = 0) {
    send_to(socket, address("10.77.0.3", static_cast<uint16_t>(5001 + which)), 'h');
    const auto letter = receive(eve_udp_[which], seconds(2));
    return letter ? std::optional(letter->from) : std::nullopt;
  }

  // Datagrams to where Eve saw the other, and then to wherever one came from; true when both have
  // an answer to something they sent.
  static bool punched(const FileDescriptor& own, sockaddr_in to) {
    bool heard = false;
    for (int i = 0; i < 40; ++i) {
      send_to(own, to, heard ? 'y' : 'h');
      while (const auto letter = receive(own, milliseconds(25))) {
        to = letter->from;
        if (letter->word == 'y' && heard) {
          for (int last = 0; last < 3; ++last) send_to(own, to, 'y');
          return true;
        }
        heard = true;
      }
    }
    return false;
  }

  bool udp_punch() {
    const FileDescriptor one = socket_in(ann_);
    const FileDescriptor other = socket_in(bob_);
    const auto ann = seen_by_eve(one);
    const auto bob = seen_by_eve(other);
    if (!ann || !bob) throw ProtocolError("eve was not reached");
    auto second = std::async(std::launch::async, [&] { return punched(other, *ann); });
    const bool first = punched(one, *bob);
    return second.get() && first;
  }

  struct TcpEnd {
    FileDescriptor to_eve;
    FileDescriptor listener;
    sockaddr_in seen{};
  };

  TcpEnd tcp_end(BareNetwork& network) {
    TcpEnd end{socket_in(network, SOCK_STREAM), socket_in(network, SOCK_STREAM), {}};
    const sockaddr_in eve = address("10.77.0.3", 5001);
    ::connect(end.to_eve.get(), reinterpret_cast<const sockaddr*>(&eve), sizeof eve);
    ::listen(end.listener.get(), 16);
    pollfd watched{eve_tcp_.get(), POLLIN, 0};
    if (::poll(&watched, 1, 2000) != 1) throw ProtocolError("eve was not reached");
    socklen_t size = sizeof end.seen;
    accepted_.emplace_back(::accept(eve_tcp_.get(), reinterpret_cast<sockaddr*>(&end.seen), &size));
    return end;
  }

  // Calls the other and listens, from one port, until a connection stands.
  static bool connected(BareNetwork& network, const TcpEnd& end, const sockaddr_in& other) {
    const Nanoseconds until = monotonic_now() + milliseconds(2600);
    while (monotonic_now() < until) {
      const FileDescriptor call = socket_in(network, SOCK_STREAM);
      ::connect(call.get(), reinterpret_cast<const sockaddr*>(&other), sizeof other);
      pollfd watched[2] = {{call.get(), POLLOUT, 0}, {end.listener.get(), POLLIN, 0}};
      ::poll(watched, 2, 1300);  // one repeated SYN is within
      if (watched[1].revents != 0) return true;
      int error = -1;
      socklen_t size = sizeof error;
      ::getsockopt(call.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (watched[0].revents != 0 && error == 0) return true;
      ::usleep(20'000);
    }
    return false;
  }

  bool tcp_punch() {
    const TcpEnd ann = tcp_end(ann_);
    const TcpEnd bob = tcp_end(bob_);
    auto second = std::async(std::launch::async, [&] { return connected(bob_, bob, ann.seen); });
    const bool first = connected(ann_, ann, bob.seen);
    return second.get() && first;
  }

  BareNetwork ann_;
  BareNetwork bob_;
  BareNetwork eve_;
  std::unique_ptr<Wire> wire_;
  std::array<FileDescriptor, 2> eve_udp_;
  FileDescriptor eve_tcp_;
  std::vector<FileDescriptor> accepted_;
};

TEST_F(NatRouterTest, MapsAsItsKindSays) {
  for (size_t i = 1; i < kNatKinds.size(); ++i) {
    const auto kind = static_cast<NatKind>(i);
    SCOPED_TRACE(kNatKinds[i]);
    lay({kind, {}, {}}, {});
    const FileDescriptor own = socket_in(ann_);
    const auto one = seen_by_eve(own, 0);
    const auto other = seen_by_eve(own, 1);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->sin_addr.s_addr, address("10.77.0.1", 0).sin_addr.s_addr);
    if (kind == NatKind::symmetric) {
      EXPECT_NE(one->sin_port, other->sin_port);
      EXPECT_NE(ntohs(one->sin_port), kOwn);
    } else {
      EXPECT_EQ(ntohs(one->sin_port), kOwn);
      EXPECT_EQ(ntohs(other->sin_port), kOwn);
    }
  }
}

// A datagram from somebody who was never written to, to a port that is mapped and to one that is
// not.
TEST_F(NatRouterTest, LetsInWhomItsKindSays) {
  for (size_t i = 0; i < kNatKinds.size(); ++i) {
    const auto kind = static_cast<NatKind>(i);
    SCOPED_TRACE(kNatKinds[i]);
    lay({kind, {}, {}}, {});
    const FileDescriptor own = socket_in(ann_);
    const FileDescriptor bob = socket_in(bob_);
    const bool always = kind == NatKind::none || kind == NatKind::forwarded;
    send_to(bob, address("10.77.0.1", kOwn), 'b');
    EXPECT_EQ(receive(own, milliseconds(200)).has_value(), always) << "nothing is mapped";
    const auto seen = seen_by_eve(own);
    ASSERT_TRUE(seen);
    send_to(bob, *seen, 'b');
    EXPECT_EQ(receive(own, milliseconds(200)).has_value(), always || kind == NatKind::full_cone);
    send_to(eve_udp_[0], *seen, 'e');
    EXPECT_TRUE(receive(own, seconds(2))) << "an answer";
  }
}

// What the router dropped must not have taken the port.
TEST_F(NatRouterTest, AKnockBeforehandDoesNotMoveTheMapping) {
  lay({NatKind::port_restricted, {}, {}}, {});
  const FileDescriptor own = socket_in(ann_);
  for (int i = 0; i < 3; ++i) send_to(eve_udp_[0], address("10.77.0.1", kOwn), 'e');
  EXPECT_FALSE(receive(own, milliseconds(100)));
  const auto seen = seen_by_eve(own);
  ASSERT_TRUE(seen);
  EXPECT_EQ(ntohs(seen->sin_port), kOwn);
}

TEST_F(NatRouterTest, MappingsLiveAsLongAsSaid) {
  for (const NatKind kind : {NatKind::port_restricted, NatKind::full_cone}) {
    lay({kind, seconds(1), {}}, {});
    const FileDescriptor own = socket_in(ann_);
    const auto seen = seen_by_eve(own);
    ASSERT_TRUE(seen);
    send_to(eve_udp_[0], *seen, 'e');
    EXPECT_TRUE(receive(own, seconds(2)));
    ::usleep(2'600'000);  // conntrack counts in ticks, sets collect when they like
    send_to(eve_udp_[0], *seen, 'e');
    EXPECT_FALSE(receive(own, milliseconds(200))) << name_of(kind);
  }
}

TEST_F(NatRouterTest, OpenForAReadingLetsEverythingIn) {
  for (const NatKind kind : {NatKind::symmetric, NatKind::firewall}) {
    lay({kind, {}, {}}, {}, true);
    const FileDescriptor own = socket_in(ann_);
    send_to(eve_udp_[0], address("10.77.0.1", kOwn), 'e');
    EXPECT_TRUE(receive(own, seconds(2))) << name_of(kind);
  }
}

TEST_F(NatRouterTest, TheRecordNamesTheRouters) {
  lay({NatKind::full_cone, seconds(30), {}}, {});
  const Json routers = *wire_->conditions().find("routers");
  EXPECT_EQ(routers,
            Json::object({{"ann", Json::object({{"kind", "full-cone"}, {"udp_timeout_s", 30}})}}));
}

// docs/wire.md, "NAT routers".
TEST_F(NatRouterTest, TheTableOfPairsThatCanPunch) {
  const auto can = [](NatKind one, NatKind other) {
    const auto filters = [](NatKind kind) {
      return kind == NatKind::port_restricted || kind == NatKind::firewall ||
             kind == NatKind::symmetric;
    };
    const bool moves = one == NatKind::symmetric || other == NatKind::symmetric;
    return !(moves && filters(one) && filters(other));
  };
  for (size_t i = 1; i < kNatKinds.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const auto one = static_cast<NatKind>(i);
      const auto other = static_cast<NatKind>(j);
      SCOPED_TRACE(std::string(kNatKinds[i]) + " and " + std::string(kNatKinds[j]));
      lay({one, {}, {}}, {other, {}, {}});
      EXPECT_EQ(udp_punch(), can(one, other)) << "UDP";
      EXPECT_EQ(tcp_punch(), can(one, other)) << "TCP";
      accepted_.clear();
    }
  }
}

}  // namespace
}  // namespace fairwire
