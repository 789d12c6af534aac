// A NAT router or firewall between a machine and its access link (docs/wire.md, "NAT routers"): a
// network namespace of its own with conntrack and nftables, tied to the machine by a veth pair.
// Invariant: dropping the object takes router, rules and veth pair with it; nothing outside of the
// two namespaces is touched.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "drivers/wires/bare_network.h"

namespace fairwire {

enum class NatKind { none, port_restricted, symmetric, full_cone, firewall, forwarded };

struct NatOptions {
  NatKind kind = NatKind::none;
  Nanoseconds udp_timeout{};  ///< of a UDP mapping; whole seconds, 0: this host's
  Nanoseconds tcp_timeout{};  ///< of an idle TCP connection

  bool operator==(const NatOptions&) const = default;
};

/// "port-restricted" and so on, in the order of the enumeration; the first is "none".
constexpr std::array<std::string_view, 6> kNatKinds = {"none",      "port-restricted", "symmetric",
                                                       "full-cone", "firewall",        "forwarded"};
std::string_view name_of(NatKind kind);
/// Of one of these names; none of any other.
NatKind nat_kind_named(std::string_view name);

/// True for those that give the machine another address: kBehindRouter.
bool translates(NatKind kind);
constexpr const char* kBehindRouter = "192.168.77.2";

/// {"kind","udp_timeout_s","tcp_timeout_s"}, times of 0 left out.
Json to_json(const NatOptions& options);

/// How a router is tied in: what it may say about addresses is the wire's.
struct NatSite {
  pid_t machine = 0;     ///< a process in the machine's network namespace
  std::string device;    ///< the machine's, and the router's towards the wire
  std::string ipv4;      ///< of the machine as the others see it
  std::string ipv6;      ///< empty: the wire has none
  std::string ipv4_net;  ///< of the whole wire, "10.77.0.0/24"
  std::string ipv6_net;
  std::string attributes;  ///< of the machine's route: network_conditions.h
};

class NatRouter {
 public:
  /// The namespace alone; the device of the wire is made in it next.
  NatRouter() = default;
  ~NatRouter();
  NatRouter(const NatRouter&) = delete;
  NatRouter& operator=(const NatRouter&) = delete;

  pid_t namespace_pid() const { return network_.namespace_pid(); }
  /// Addresses, routes and rules, once the wire's device is there. With `open`, everything is let
  /// in. Throws ProtocolError with what `ip` or `nft` said, SystemError.
  void configure(const NatOptions& options, const NatSite& site, bool open);

 private:
  BareNetwork network_;
  bool tied_ = false;
};

/// The rules for `nft -f -`.
std::string nat_rules(const NatOptions& options, const std::string& device, bool open);

}  // namespace fairwire
