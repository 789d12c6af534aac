#include "drivers/wires/tun_wire.h"

#include <set>
#include <stdexcept>

#include "base/error.h"
#include "drivers/wires/forwarder_process.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_device.h"
#include "drivers/wires/wire_address.h"
#include "drivers/wires/wire_model.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kDying = std::chrono::milliseconds(100);  // its devices go before itself

std::string device_up(int wire) {
  const std::string device = " dev " + wire_device(wire);
  return "link set" + device + " mtu 1500 txqueuelen " + std::to_string(kDeviceQueue) +
         "\nlink set" + device + " addrgenmode none\nlink set" + device + " up\n";
}

// One route to the whole net; no link-local address is made and nobody is asked for.
std::string addresses_and_routes(int wire, size_t machine, bool with_ipv6,
                                 const std::string& attributes) {
  const std::string device = " dev " + wire_device(wire);
  const std::string v4 = wire_ipv4(machine, wire);
  std::string batch = "address add " + v4 + "/32" + device + "\n";
  batch += "route add " + wire_net4(wire) + device + " src " + v4 + attributes + "\n";
  if (!with_ipv6) return batch;
  const std::string v6 = wire_ipv6(machine, wire);
  batch += "address add " + v6 + "/128" + device + " nodad noprefixroute\n";
  batch += "route add " + wire_net6(wire) + device + " src " + v6 + attributes + "\n";
  return batch;
}

std::string default_routes(int wire, bool with_ipv6) {
  const std::string device = " dev " + wire_device(wire) + "\n";
  return "route add default" + device + (with_ipv6 ? "route add ::/0" + device : "");
}

// A firewall forwards for a machine that has these addresses itself.
std::string routes_of_firewall(int wire, bool with_ipv6) {
  const std::string device = " dev " + wire_device(wire) + "\n";
  return "route add " + wire_net4(wire) + device +
         (with_ipv6 ? "route add " + wire_net6(wire) + device : "");
}

class TunWire final : public Wire {
 public:
  TunWire(const std::vector<WireEnd>& ends, const TunWireOptions& options)
      : ends_(ends),
        model_(wire_model(ends, options)),
        number_(options.number),
        gateway_(options.gateway),
        attributes_(route_attributes(options.conditions)),
        routers_(make_routers(options)),
        forwarder_(forwarder_options(options), options.self_binary, options.token) {
    try {
      tie_all(options);
    } catch (const std::exception&) {
      forwarder_.check(kDying);  // if that is why, it is what is said
      throw;
    }
  }

  std::vector<std::pair<std::string, std::string>> addresses() const override {
    std::vector<std::pair<std::string, std::string>> result;
    for (size_t i = 0; i < ends_.size(); ++i)
      result.emplace_back(ends_[i].name, wire_ipv4(i, number_));
    return result;
  }

  std::string own_address(const std::string& machine) const override {
    return translated_.contains(machine) ? kBehindRouter : Wire::own_address(machine);
  }

  Json conditions() const override { return conditions_; }

  void check() override { forwarder_.check(Nanoseconds::zero()); }

  WireReading read() override {
    const Json answer = forwarder_.ask(Json::object({{"call", "read"}}));
    const JsonView view(answer, "forwarder");
    WireReading reading;
    for (size_t i = 0; i < ends_.size(); ++i) {
      for (size_t j = 0; j < ends_.size(); ++j) {
        if (i != j) reading.pairs.push_back({ends_[i].name, ends_[j].name, 0, 0, 0});
      }
    }
    int64_t failed_writes = 0;
    for (const JsonView& pair : view.at("pairs").items()) {
      add_pair(pair, reading);
      failed_writes += pair.at("write").as_int();
    }
    reading.lateness = view.at("lateness").json();
    reading.lateness.set("device_drops", device_drops()).set("failed_writes", failed_writes);
    for (const char* key : {"malformed", "unaddressed", "cpu_us"}) {
      reading.lateness.set(key, view.at(key).json());
    }
    return reading;
  }

  void change(const WireChange& change) override {
    Json request = Json::object({{"call", "change"}, {"what", change.what}});
    const bool of_all = change.what == "start-traces";
    const bool of_pair = change.machine.empty();
    std::vector<std::pair<const char*, std::string>> ends;
    if (of_pair && !of_all) ends = {{"from", change.from}, {"to", change.to}};
    if (!of_pair) ends = {{"machine", change.machine}};
    for (const auto& [key, name] : ends) {
      const size_t index = index_of(name);
      if (index == ends_.size()) throw ProtocolError("the wire has no machine " + name);
      request.set(key, static_cast<int64_t>(index));
    }
    request.set("up", change.up_bits_per_second).set("down", change.down_bits_per_second);
    forwarder_.ask(request.set("delay_ns", int64_t{change.delay.count()}));
  }

  int64_t theory_bytes_per_second(const std::string& from, const std::string& to) const override {
    const size_t sender = index_of(from);
    const size_t receiver = index_of(to);
    const bool both = sender < ends_.size() && receiver < ends_.size() && sender != receiver;
    return both ? theory_of(model_, sender, receiver) : 0;
  }

 private:
  void tie_all(const TunWireOptions& options) {
    const bool with_ipv6 = host_has_ipv6();
    Json machines = Json::object();
    Json routers = Json::object();
    for (size_t i = 0; i < ends_.size(); ++i) {
      apply_buffers(options.conditions, ends_[i].namespace_pid);
      const NatOptions nat = nat_of(options, ends_[i].name);
      tie(i, nat, with_ipv6, options.conditions.routers_open);
      in_network_of(ends_[i].namespace_pid,
                    [&] { machines.set(ends_[i].name, namespace_conditions()); });
      if (translates(nat.kind)) translated_.insert(ends_[i].name);
      if (routers_[i]) routers.set(ends_[i].name, to_json(nat));
    }
    conditions_ = Json::object({{"kind", "tun"},
                                {"mtu", 1500},
                                {"ipv6", with_ipv6},
                                {"seed", std::to_string(options.seed)},
                                {"late_bound_ns", options.late_bound.count()},
                                {"model", model_json(model_, ends_)},
                                {"conditions", to_json(options.conditions)},
                                {"machines", machines},
                                {"forwarder", forwarder_.greeting()}});
    if (routers != Json::object()) conditions_.set("routers", routers);
  }

  static NatOptions nat_of(const TunWireOptions& options, const std::string& machine) {
    NatOptions nat;
    for (const AccessLinks& link : options.access) {
      if (link.machine == machine) nat = link.nat;
    }
    return nat;
  }

  std::vector<std::unique_ptr<NatRouter>> make_routers(const TunWireOptions& options) const {
    std::vector<std::unique_ptr<NatRouter>> routers(ends_.size());
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (nat_of(options, ends_[i].name).kind != NatKind::none) {
        routers[i] = std::make_unique<NatRouter>();
      }
    }
    return routers;
  }

  // Where the wire's device is: the machine's namespace, or that of its router.
  pid_t outer_namespace(size_t machine) const {
    return routers_[machine] ? routers_[machine]->namespace_pid() : ends_[machine].namespace_pid;
  }

  void tie(size_t machine, const NatOptions& nat, bool host_ipv6, bool open) {
    const bool firewall = nat.kind == NatKind::firewall;
    const bool with_ipv6 = host_ipv6 && (nat.kind == NatKind::none || firewall);
    const bool world = !gateway_.empty() && ends_[machine].name != gateway_;
    std::string batch = device_up(number_);
    batch += firewall ? routes_of_firewall(number_, with_ipv6)
                      : addresses_and_routes(number_, machine, with_ipv6, attributes_);
    if (world) batch += default_routes(number_, with_ipv6);
    in_network_of(outer_namespace(machine), [&] { run_ip_batch(batch); });
    if (!routers_[machine]) return;
    NatSite site{ends_[machine].namespace_pid,
                 wire_device(number_),
                 wire_ipv4(machine, number_),
                 firewall && with_ipv6 ? wire_ipv6(machine, number_) : "",
                 world ? "default" : wire_net4(number_),
                 world ? "::/0" : wire_net6(number_),
                 attributes_};
    routers_[machine]->configure(nat, site, open);
  }

  ForwarderOptions forwarder_options(const TunWireOptions& options) const {
    ForwarderOptions result{{}, model_, options.late_bound, options.number, -1};
    if (!options.gateway.empty()) result.gateway = static_cast<int>(index_of(options.gateway));
    for (size_t i = 0; i < ends_.size(); ++i) result.namespaces.push_back(outer_namespace(i));
    return result;
  }

  size_t index_of(const std::string& name) const {
    size_t i = 0;
    while (i < ends_.size() && ends_[i].name != name) ++i;
    return i;
  }

  void add_pair(const JsonView& pair, WireReading& reading) const {
    const auto count = static_cast<int64_t>(ends_.size());
    const int64_t from = pair.at("from").as_int(0, count - 1);
    const int64_t to = pair.at("to").as_int(0, count - 1);
    if (from == to) pair.fail("is not a pair");
    // Pairs stand in order, without those from a machine to itself.
    PairCount& into =
        reading.pairs[static_cast<size_t>(from * (count - 1) + to - (to > from ? 1 : 0))];
    into.bytes = pair.at("bytes").as_int();
    into.packets = pair.at("segments").as_int();
    for (const char* reason :
         {"up_queue", "loss", "path_queue", "down_queue", "write", "link_down", "blackhole"}) {
      into.dropped_packets += pair.at(reason).as_int();
    }
  }

  // What the model never saw: the device's queue was full.
  int64_t device_drops() const {
    int64_t drops = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      for (const InterfaceCount& count : interface_counts(outer_namespace(i))) {
        if (count.name == wire_device(number_)) drops += count.dropped_packets;
      }
    }
    return drops;
  }

  std::vector<WireEnd> ends_;
  WireModel model_;
  int number_;
  std::string gateway_;
  std::string attributes_;
  std::vector<std::unique_ptr<NatRouter>> routers_;  // where there is one, by machine
  std::set<std::string> translated_;                 // machines that have another address
  ForwarderProcess forwarder_;
  Json conditions_;
};

}  // namespace

std::unique_ptr<Wire> make_tun_wire(const std::vector<WireEnd>& ends,
                                    const TunWireOptions& options) {
  return std::make_unique<TunWire>(ends, options);
}

}  // namespace fairwire
