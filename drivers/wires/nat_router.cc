#include "drivers/wires/nat_router.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "drivers/wires/network_namespace.h"

namespace fairwire {
namespace {

constexpr const char* kRouter = "192.168.77.1";
constexpr const char* kRouter6 = "fd78::1";
constexpr const char* kLan = "lan";
// Locally administered and always the same: neighbours are told, not looked for.
constexpr const char* kMachineMac = "02:77:4e:00:00:02";
constexpr const char* kRouterMac = "02:77:4e:00:00:01";
// What Linux gives: nf_conntrack_udp_timeout_stream, nf_conntrack_tcp_timeout_established.
constexpr Nanoseconds kUdpTimeout = std::chrono::seconds(120);
constexpr Nanoseconds kTcpTimeout = std::chrono::seconds(432'000);

int64_t seconds_of(Nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

// What the machine sends keeps its port mapped.
std::string renewal(const std::string& protocol, Nanoseconds given, Nanoseconds standard) {
  const int64_t life = seconds_of(given > Nanoseconds::zero() ? given : standard);
  return "meta l4proto " + protocol + " update @mapped { meta l4proto . th sport timeout " +
         std::to_string(life) + "s }\n";
}

std::string veth(const NatSite& site) {
  return "link add " + std::string(kLan) + " address " + kRouterMac + " type veth peer name " +
         site.device + " address " + kMachineMac + " netns " + std::to_string(site.machine) +
         "\nlink set dev " + kLan + " addrgenmode none\nlink set dev " + kLan + " up\n" +
         "address add " + kRouter + "/24 dev " + kLan + "\nneigh replace " + kBehindRouter +
         " lladdr " + kMachineMac + " dev " + kLan + " nud permanent\n";
}

// A firewall has no address of its own on the wire; it knows who lives behind it.
std::string towards_machine(const NatSite& site) {
  const std::string lan = " dev " + std::string(kLan);
  std::string batch = "route add " + site.ipv4 + "/32 via " + kBehindRouter + lan + "\n";
  if (site.ipv6.empty()) return batch;
  batch += "address add " + std::string(kRouter6) + "/64" + lan + " nodad\n";
  batch += "neigh replace " + site.ipv6 + " lladdr " + kMachineMac + lan + " nud permanent\n";
  return batch + "route add " + site.ipv6 + "/128" + lan + "\n";
}

std::string at_machine(const NatOptions& options, const NatSite& site) {
  const std::string device = " dev " + site.device;
  const bool own = !translates(options.kind);
  std::string batch = "link set" + device + " addrgenmode none\nlink set" + device + " up\n";
  batch += "address add " + std::string(kBehindRouter) + "/24" + device + "\n";
  if (own) batch += "address add " + site.ipv4 + "/32" + device + "\n";
  batch += "neigh replace " + std::string(kRouter) + " lladdr " + kRouterMac + device +
           " nud permanent\n";
  batch += "route add " + site.ipv4_net + " via " + kRouter + device + " src " +
           (own ? site.ipv4 : kBehindRouter) + site.attributes + "\n";
  if (!own || site.ipv6.empty()) return batch;
  batch += "address add " + site.ipv6 + "/128" + device + " nodad\n";
  batch += "route add " + std::string(kRouter6) + "/128" + device + "\n";
  batch += "neigh replace " + std::string(kRouter6) + " lladdr " + kRouterMac + device +
           " nud permanent\n";
  return batch + "route add " + site.ipv6_net + " via " + kRouter6 + device + " src " + site.ipv6 +
         site.attributes + "\n";
}

}  // namespace

std::string_view name_of(NatKind kind) {
  return kNatKinds.at(static_cast<size_t>(kind));
}

bool translates(NatKind kind) {
  return kind != NatKind::none && kind != NatKind::firewall;
}

NatKind nat_kind_named(std::string_view name) {
  const auto* const found = std::find(kNatKinds.begin(), kNatKinds.end(), name);
  return found == kNatKinds.end() ? NatKind::none : static_cast<NatKind>(found - kNatKinds.begin());
}

Json to_json(const NatOptions& options) {
  Json json = Json::object({{"kind", std::string(name_of(options.kind))}});
  if (options.udp_timeout > Nanoseconds::zero()) {
    json.set("udp_timeout_s", seconds_of(options.udp_timeout));
  }
  if (options.tcp_timeout > Nanoseconds::zero()) {
    json.set("tcp_timeout_s", seconds_of(options.tcp_timeout));
  }
  return json;
}

std::string nat_rules(const NatOptions& options, const std::string& device, bool open) {
  const std::string in = "iifname \"" + device + "\" ";
  const std::string to_machine = std::string("dnat ip to ") + kBehindRouter + "\n";
  const bool all = open || options.kind == NatKind::forwarded;
  const bool cone = options.kind == NatKind::full_cone && !all;
  std::string rules = "table inet router {\n";
  if (cone) {
    rules += "  set mapped {\n    type inet_proto . inet_service\n    flags dynamic,timeout\n  }\n";
  }
  if (translates(options.kind)) {
    rules += "  chain before {\n    type nat hook prerouting priority dstnat; policy accept;\n";
    if (all) rules += "    " + in + to_machine;
    if (cone) rules += "    " + in + "meta l4proto . th dport @mapped " + to_machine;
    rules +=
        "  }\n  chain after {\n    type nat hook postrouting priority srcnat; policy accept;\n"
        "    oifname \"" +
        device + "\" masquerade" + (options.kind == NatKind::symmetric ? " fully-random" : "") +
        "\n  }\n";
  }
  const std::string from_lan = std::string("    iifname \"") + kLan + "\" ";
  rules += "  chain through {\n    type filter hook forward priority filter; policy drop;\n";
  if (cone) {
    rules += from_lan + renewal("udp", options.udp_timeout, kUdpTimeout);
    rules += from_lan + renewal("tcp", options.tcp_timeout, kTcpTimeout);
  }
  rules +=
      from_lan + "accept\n    ct state established,related accept\n    ct status dnat accept\n";
  if (all) rules += "    accept\n";
  return rules +
         "  }\n  chain own {\n    type filter hook input priority filter; policy drop;\n"
         "    ct state established,related accept\n" +
         from_lan + "accept\n  }\n}\n";
}

// The kernel would take the pair away some time after the namespace; a machine may be tied again.
NatRouter::~NatRouter() {
  try {
    if (tied_) {
      in_network_of(namespace_pid(),
                    [] { run_ip_batch("link delete dev " + std::string(kLan) + "\n"); });
    }
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void NatRouter::configure(const NatOptions& options, const NatSite& site, bool open) {
  in_network_of(namespace_pid(), [&] {
    std::string batch = veth(site);
    if (!translates(options.kind)) batch += towards_machine(site);
    run_ip_batch(batch);
    tied_ = true;
    run_nft(nat_rules(options, site.device, open));
    set_of_namespace("ipv4/ip_forward", "1");
    if (!site.ipv6.empty()) set_of_namespace("ipv6/conf/all/forwarding", "1");
    if (options.udp_timeout > Nanoseconds::zero()) {
      const std::string seconds = std::to_string(seconds_of(options.udp_timeout));
      set_of_namespace("netfilter/nf_conntrack_udp_timeout", seconds);
      set_of_namespace("netfilter/nf_conntrack_udp_timeout_stream", seconds);
    }
    if (options.tcp_timeout > Nanoseconds::zero()) {
      set_of_namespace("netfilter/nf_conntrack_tcp_timeout_established",
                       std::to_string(seconds_of(options.tcp_timeout)));
    }
  });
  in_network_of(site.machine, [&] { run_ip_batch(at_machine(options, site)); });
}

}  // namespace fairwire
