#include "drivers/wires/open_wire.h"

#include <fmt/core.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/wire_address.h"

namespace fairwire {
namespace {

constexpr size_t kMostMachines = 250;
constexpr Nanoseconds kPatience = std::chrono::seconds(10);

// Locally administered, the same in every run; of `machine`'s device towards `peer`.
std::string hardware_address(size_t machine, size_t peer) {
  return fmt::format("02:77:00:00:{:02x}:{:02x}", machine + 1, peer + 1);
}

std::string device_towards(const std::vector<WireEnd>& ends, size_t peer) {
  const std::string name = "to-" + ends[peer].name;
  const bool fits = name.size() < IFNAMSIZ && name.find_first_of("/: \t\n%@") == name.npos;
  return fits ? name : "peer" + std::to_string(peer + 1);
}

// Born in their namespaces: this host's own never sees them, not even when we are killed here.
std::string links(const std::vector<WireEnd>& ends, const OpenWireOptions& options) {
  std::string batch;
  const auto end_of = [&](size_t machine, size_t peer) {
    return "name " + device_towards(ends, peer) + " netns " +
           std::to_string(ends[machine].namespace_pid) + " address " +
           hardware_address(machine, peer) + " mtu " + std::to_string(options.mtu);
  };
  for (size_t i = 0; i < ends.size(); ++i) {
    for (size_t j = i + 1; j < ends.size(); ++j) {
      batch += "link add " + end_of(i, j) + " type veth peer " + end_of(j, i) + "\n";
    }
  }
  return batch;
}

// Neighbours are given, not asked for, and no link-local address is made: the counters hold what
// the tools sent, and the first connection pays for no discovery.
std::string addresses_and_routes(const std::vector<WireEnd>& ends, size_t machine, bool with_ipv6,
                                 const std::string& attributes) {
  std::string batch;
  for (size_t peer = 0; peer < ends.size(); ++peer) {
    if (peer == machine) continue;
    const std::string device = " dev " + device_towards(ends, peer);
    const std::string lladdr = " lladdr " + hardware_address(peer, machine);
    batch += "link set" + device + " addrgenmode none\n";
    batch += "link set" + device + " up\n";
    batch += "address add " + wire_ipv4(machine) + "/32" + device + "\n";
    batch += "neighbour replace " + wire_ipv4(peer) + lladdr + device + " nud permanent\n";
    batch += "route add " + wire_ipv4(peer) + "/32" + device + " src " + wire_ipv4(machine) +
             attributes + "\n";
    if (!with_ipv6) continue;
    batch += "address add " + wire_ipv6(machine) + "/128" + device + " nodad noprefixroute\n";
    batch += "neighbour replace " + wire_ipv6(peer) + lladdr + device + " nud permanent\n";
    batch += "route add " + wire_ipv6(peer) + "/128" + device + " src " + wire_ipv6(machine) +
             attributes + "\n";
  }
  return batch;
}

bool is_running(const FileDescriptor& socket, const std::string& device) {
  ifreq request{};
  std::strncpy(request.ifr_name, device.c_str(), IFNAMSIZ - 1);
  check_system(::ioctl(socket.get(), SIOCGIFFLAGS, &request), "look at the interface", device);
  return (request.ifr_flags & IFF_RUNNING) != 0;
}

// Carrier is noticed by a kernel worker; what is sent before that is dropped.
void wait_for_carrier(const std::vector<WireEnd>& ends, size_t machine) {
  const FileDescriptor socket(
      check_system(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "make a socket"));
  SystemClock clock;
  const Nanoseconds deadline = clock.now() + kPatience;
  for (size_t peer = 0; peer < ends.size(); ++peer) {
    if (peer == machine) continue;
    const std::string device = device_towards(ends, peer);
    while (!is_running(socket, device)) {
      if (clock.now() > deadline) throw SystemError("wait for the carrier of", device, ETIMEDOUT);
      clock.sleep(std::chrono::milliseconds(1));
    }
  }
}

class OpenWire final : public Wire {
 public:
  OpenWire(const std::vector<WireEnd>& ends, const OpenWireOptions& options) : ends_(ends) {
    if (ends.size() > kMostMachines) throw std::length_error("an open wire has 250 ends at most");
    const bool with_ipv6 = host_has_ipv6();
    run_ip_batch(links(ends, options));
    const std::string attributes = route_attributes(options.conditions);
    Json machines = Json::object();
    for (size_t i = 0; i < ends.size(); ++i) {
      apply_buffers(options.conditions, ends[i].namespace_pid);
      in_network_of(ends[i].namespace_pid,
                    [&] { run_ip_batch(addresses_and_routes(ends, i, with_ipv6, attributes)); });
    }
    for (size_t i = 0; i < ends.size(); ++i) {
      in_network_of(ends[i].namespace_pid, [&] {
        wait_for_carrier(ends, i);
        machines.set(ends[i].name, namespace_conditions());
      });
    }
    conditions_ = Json::object({{"kind", "open"},
                                {"mtu", options.mtu},
                                {"ipv6", with_ipv6},
                                {"conditions", to_json(options.conditions)},
                                {"machines", machines}});
    start_ = count();
  }

  std::vector<std::pair<std::string, std::string>> addresses() const override {
    std::vector<std::pair<std::string, std::string>> result;
    for (size_t i = 0; i < ends_.size(); ++i) result.emplace_back(ends_[i].name, wire_ipv4(i));
    return result;
  }

  Json conditions() const override { return conditions_; }

  WireReading read() override {
    WireReading reading{count(), nullptr};
    for (size_t i = 0; i < reading.pairs.size(); ++i) {
      reading.pairs[i].bytes -= start_[i].bytes;
      reading.pairs[i].packets -= start_[i].packets;
      reading.pairs[i].dropped_packets -= start_[i].dropped_packets;
    }
    return reading;
  }

  int64_t theory_bytes_per_second(const std::string&, const std::string&) const override {
    return 0;
  }

 private:
  std::vector<PairCount> count() const {
    std::vector<PairCount> pairs;
    for (size_t i = 0; i < ends_.size(); ++i) {
      std::map<std::string, InterfaceCount> devices;
      for (const InterfaceCount& device : interface_counts(ends_[i].namespace_pid)) {
        devices[device.name] = device;
      }
      for (size_t j = 0; j < ends_.size(); ++j) {
        if (i == j) continue;
        const InterfaceCount& device = devices[device_towards(ends_, j)];
        pairs.push_back({ends_[i].name, ends_[j].name, device.sent_bytes, device.sent_packets,
                         device.dropped_packets});
      }
    }
    return pairs;
  }

  std::vector<WireEnd> ends_;
  Json conditions_;
  std::vector<PairCount> start_;
};

}  // namespace

std::unique_ptr<Wire> make_open_wire(const std::vector<WireEnd>& ends,
                                     const OpenWireOptions& options) {
  return std::make_unique<OpenWire>(ends, options);
}

}  // namespace fairwire
