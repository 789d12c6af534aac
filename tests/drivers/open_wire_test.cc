#include "drivers/wires/open_wire.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/machines/netns.h"
#include "drivers/sweep.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/real_wire.h"

namespace fairwire {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

template <typename Address>
const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

sockaddr_in ipv4_of(const std::string& text, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(::inet_pton(AF_INET, text.c_str(), &address.sin_addr), 1);
  return address;
}

bool answers(const FileDescriptor& socket, uint8_t type) {
  uint8_t packet[1500];
  pollfd watched{socket.get(), POLLIN, 0};
  while (::poll(&watched, 1, 2000) == 1) {
    const ssize_t size = ::recv(socket.get(), packet, sizeof packet, 0);
    // IPv4 raw sockets give the IP header (20 bytes) too, IPv6 ones do not.
    const size_t start = size > 20 && packet[0] == 0x45 ? 20 : 0;
    if (size > static_cast<ssize_t>(start) && packet[start] == type) return true;
  }
  return false;
}

bool ping4(pid_t from, const std::string& to) {
  bool good = false;
  in_network_of(from, [&] {
    const FileDescriptor socket(
        check_system(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP), "socket"));
    icmphdr echo{};
    echo.type = ICMP_ECHO;
    echo.checksum = static_cast<uint16_t>(~htons(ICMP_ECHO << 8));  // all else is zero
    const sockaddr_in address = ipv4_of(to, 0);
    if (::sendto(socket.get(), &echo, sizeof echo, 0, generic(address), sizeof address) < 0) return;
    good = answers(socket, ICMP_ECHOREPLY);
  });
  return good;
}

bool ping6(pid_t from, const std::string& to) {
  bool good = false;
  in_network_of(from, [&] {
    const FileDescriptor socket(
        check_system(::socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6), "socket"));
    icmp6_hdr echo{};
    echo.icmp6_type = ICMP6_ECHO_REQUEST;
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    EXPECT_EQ(::inet_pton(AF_INET6, to.c_str(), &address.sin6_addr), 1);
    if (::sendto(socket.get(), &echo, sizeof echo, 0, generic(address), sizeof address) < 0) return;
    good = answers(socket, ICMP6_ECHO_REPLY);
  });
  return good;
}

FileDescriptor listen_at(pid_t machine, const std::string& address) {
  FileDescriptor socket;
  in_network_of(machine, [&] {
    socket = FileDescriptor(check_system(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "s"));
    const sockaddr_in where = ipv4_of(address, 7777);
    check_system(::bind(socket.get(), generic(where), sizeof where), "bind");
    check_system(::listen(socket.get(), 1), "listen");
  });
  return socket;
}

FileDescriptor connect_from(pid_t machine, const std::string& address) {
  FileDescriptor socket;
  in_network_of(machine, [&] {
    socket = FileDescriptor(check_system(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "s"));
    const sockaddr_in where = ipv4_of(address, 7777);
    check_system(::connect(socket.get(), generic(where), sizeof where), "connect");
  });
  return socket;
}

size_t read_to_end(const FileDescriptor& from) {
  std::vector<std::byte> buffer(65536);
  size_t total = 0;
  while (const size_t count = from.read_some(buffer)) total += count;
  return total;
}

class OpenWireOfThree : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "machines of namespaces need root";
    NetnsOptions options;
    options.self_binary = FAIRWIRE_TEST_AGENT;
    options.token = owner_token();
    options.work_bytes = 16 * kMebibyte;
    for (const char* name : {"ann", "bob", "a-much-too-long-name"}) {
      options.name = name;
      machines_.push_back(make_netns_machine(options));
      ends_.push_back({name, machines_.back()->info().namespace_pid});
    }
    const Nanoseconds start = monotonic_now();
    wire_ = make_open_wire(ends_);
    const std::chrono::duration<double, std::milli> took = monotonic_now() - start;
    std::cout << "open wire of three machines: " << took.count() << " ms\n";
  }

  PairCount pair(const std::string& from, const std::string& to) {
    for (const PairCount& count : wire_->read().pairs) {
      if (count.from == from && count.to == to) return count;
    }
    ADD_FAILURE() << "no pair " << from << " to " << to;
    return {};
  }

  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<WireEnd> ends_;
  std::unique_ptr<Wire> wire_;
};

TEST_F(OpenWireOfThree, EveryMachineReachesEveryOther) {
  const auto addresses = wire_->addresses();
  ASSERT_EQ(addresses.size(), 3u);
  EXPECT_EQ(addresses[0], std::make_pair(std::string("ann"), std::string("10.77.0.1")));
  const bool with_ipv6 = ::access("/proc/sys/net/ipv6", F_OK) == 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(ping4(ends_[i].namespace_pid, addresses[j].second)) << i << " to " << j;
      const std::string ipv6 = "fd77::" + std::to_string(j + 1);
      if (with_ipv6) {
        EXPECT_TRUE(ping6(ends_[i].namespace_pid, ipv6)) << i << " to " << j;
      }
    }
  }
  EXPECT_FALSE(ping4(ends_[0].namespace_pid, "10.77.0.9"));
}

TEST_F(OpenWireOfThree, DevicesAreNamedAfterThePeer) {
  std::vector<std::string> names;
  for (const InterfaceCount& count : interface_counts(ends_[0].namespace_pid)) {
    names.push_back(count.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"to-bob", "peer3"}));
}

TEST_F(OpenWireOfThree, CountsWhatWentFromWhomToWhom) {
  const std::string bob = wire_->addresses()[1].second;
  const FileDescriptor listener = listen_at(ends_[1].namespace_pid, bob);
  FileDescriptor sender = connect_from(ends_[0].namespace_pid, bob);
  const FileDescriptor receiver(check_system(::accept(listener.get(), nullptr, nullptr), "accept"));
  size_t received = 0;
  std::thread reader([&] { received = read_to_end(receiver); });
  sender.write_all(std::string(kMebibyte, 'x'));
  sender.close();
  reader.join();
  EXPECT_EQ(received, static_cast<size_t>(kMebibyte));

  const PairCount forth = pair("ann", "bob");
  EXPECT_GE(forth.bytes, kMebibyte);
  EXPECT_LE(forth.bytes, kMebibyte + kMebibyte / 20);
  EXPECT_GE(forth.packets, 16);
  EXPECT_EQ(forth.dropped_packets, 0);
  const PairCount back = pair("bob", "ann");
  EXPECT_GT(back.bytes, 0);
  EXPECT_LT(back.bytes, kMebibyte / 10);
  // The others carried nothing but multicast reports of their IPv6 addresses.
  EXPECT_LT(pair("ann", "a-much-too-long-name").bytes, 1000);
  EXPECT_LT(pair("a-much-too-long-name", "bob").bytes, 1000);
  EXPECT_EQ(wire_->read().pairs.size(), 6u);
  EXPECT_TRUE(wire_->read().lateness.is_null());
  EXPECT_EQ(wire_->theory_bytes_per_second("ann", "bob"), 0);
}

TEST_F(OpenWireOfThree, SaysWhatItIs) {
  const Json conditions = wire_->conditions();
  EXPECT_EQ(*conditions.find("kind"), Json("open"));
  EXPECT_EQ(*conditions.find("mtu"), Json(1500));
  const Json* ann = conditions.find("machines")->find("ann");
  ASSERT_NE(ann, nullptr);
  EXPECT_NE(ann->find("tcp_congestion_control")->if_string()->size(), 0u);
}

// This host's own network never has our devices, and they go with the machines.
TEST_F(OpenWireOfThree, GoesWithTheMachines) {
  const auto before = interface_counts(::getpid()).size();
  machines_.erase(machines_.begin());
  EXPECT_THROW(wire_->read(), SystemError);
  EXPECT_EQ(interface_counts(::getpid()).size(), before);
  for (const InterfaceCount& count : interface_counts(::getpid())) {
    EXPECT_FALSE(count.name.starts_with("to-")) << count.name;
  }
}

TEST(OpenWire, MachineThatIsGoneIsAnError) {
  if (::geteuid() != 0) GTEST_SKIP() << "wires need root";
  EXPECT_ANY_THROW(make_open_wire({{"ann", 1 << 22}, {"bob", 1 << 22}}));
}

TEST(InterfaceCounts, AreReadFromTheKernelsTable) {
  const std::string text =
      "Inter-|   Receive                  |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets errs drop\n"
      "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
      "to-bob:100 2 0 4 0 0 0 0 900 10 0 12 0 0 0 0\n";
  const auto counts = parse_interface_counts(text, "dev");
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0], (InterfaceCount{"to-bob", 100, 900, 2, 10, 16}));
  EXPECT_THROW(parse_interface_counts("a\nb\nto-bob: 1 2 3\n", "dev"), FormatError);
  EXPECT_THROW(parse_interface_counts("a\nb\nnonsense\n", "dev"), FormatError);
}

TEST(RealWire, HasTheGivenAddressesAndCountsNothing) {
  const auto wire = make_real_wire({{"ann", "192.0.2.1"}, {"bob", "192.0.2.2"}});
  EXPECT_EQ(wire->addresses().size(), 2u);
  EXPECT_EQ(wire->addresses()[1].second, "192.0.2.2");
  EXPECT_TRUE(wire->read().pairs.empty());
  EXPECT_EQ(wire->theory_bytes_per_second("ann", "bob"), 0);
  EXPECT_EQ(*wire->conditions().find("kind"), Json("real"));
}

}  // namespace
}  // namespace fairwire
