#include "drivers/wires/tun_wire.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "base/log.h"
#include "drivers/meter/control_group.h"
#include "drivers/quiet_write.h"
#include "drivers/subprocess.h"
#include "drivers/wires/forwarder.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_device.h"
#include "drivers/wires/wire_model.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kPatience = std::chrono::seconds(10);
constexpr Nanoseconds kGoodbye = std::chrono::seconds(2);
constexpr int kPipeBytes = 1 << 20;  // a whole answer fits: the forwarder never waits for us
constexpr size_t kMostAnswer = 1 << 20;

// A group of its own, so that its CPU is nobody else's and sweep finds it after kill -9.
std::optional<ControlGroup> wire_group(const std::string& token) {
  for (const char* kind : {"cgroup2", "cpuacct"}) {
    const auto own = writable_own_group(kind);
    if (own) return std::make_optional<ControlGroup>(*own + "/fairwire-" + token + "-wire");
  }
  return std::nullopt;
}

// The forwarder at work, and the conversation with it.
class ForwarderProcess {
 public:
  ForwarderProcess(const ForwarderOptions& options, const std::string& self_binary,
                   const std::string& token)
      : group_(wire_group(token)) {
    Pipe to = make_pipe();
    Pipe from = make_pipe();
    ::fcntl(from.write_end.get(), F_SETPIPE_SZ, kPipeBytes);
    SpawnOptions spawn;
    spawn.argv = {self_binary, "forward", to_json(options).dump()};
    spawn.inherit_environment = true;
    spawn.environment = {{"FAIRWIRE_TOKEN", token}};
    spawn.stdin_fd = to.read_end.get();
    spawn.stdout_fd = from.write_end.get();
    spawn.parent_death_signal = SIGKILL;
    if (group_) spawn.cgroup_procs = {group_->path() + "/cgroup.procs"};
    process_.emplace(spawn);
    to_ = std::move(to.write_end);
    from_ = std::move(from.read_end);
    from.write_end.close();
    greet();
  }

  ~ForwarderProcess() {
    to_.close();
    try {
      if (!process_->wait(kGoodbye)) log_warning("the wire's forwarder is killed: it did not end");
    } catch (const std::exception& error) {
      log_warning(error.what());
    }
  }
  ForwarderProcess(const ForwarderProcess&) = delete;
  ForwarderProcess& operator=(const ForwarderProcess&) = delete;

  const Json& greeting() const { return greeting_; }

  Json ask(const Json& request) {
    const std::string line = request.dump() + "\n";  // within PIPE_BUF: whole, or not at all
    if (quiet_write(to_.get(), line) != static_cast<ssize_t>(line.size())) {
      throw ProtocolError("the wire's forwarder is gone");
    }
    return next_line();
  }

 private:
  void greet() {
    greeting_ = next_line();
    if (const Json* failed = greeting_.find("failed")) {
      throw ProtocolError("the emulated wire (needs root and /dev/net/tun): " +
                          *failed->if_string());
    }
  }

  Json next_line() {
    const Nanoseconds until = monotonic_now() + kPatience;
    size_t end = 0;
    while ((end = read_.find('\n')) == std::string::npos) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now());
      pollfd watched{from_.get(), POLLIN, 0};
      const int ready = ::poll(&watched, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
      if (ready < 0 && errno == EINTR) continue;
      std::byte buffer[4096];
      const size_t count = ready > 0 ? from_.read_some(buffer) : 0;
      if (count == 0) throw ProtocolError("the wire's forwarder does not answer");
      read_.append(reinterpret_cast<const char*>(buffer), count);
      if (read_.size() > kMostAnswer) throw ProtocolError("the wire's forwarder says too much");
    }
    const Json line = Json::parse(read_.substr(0, end), "forwarder");
    read_.erase(0, end + 1);
    return line;
  }

  std::optional<ControlGroup> group_;  // outlives the process in it
  std::optional<Subprocess> process_;
  FileDescriptor to_;
  FileDescriptor from_;
  std::string read_;
  Json greeting_;
};

constexpr const char* kNet = "10.77.0.0/24";
constexpr const char* kNet6 = "fd77::/64";

std::string device_up() {
  const std::string device = " dev " + std::string(kWireDevice);
  return "link set" + device + " mtu 1500 txqueuelen " + std::to_string(kDeviceQueue) +
         "\nlink set" + device + " addrgenmode none\nlink set" + device + " up\n";
}

// One route to the whole net; no link-local address is made and nobody is asked for.
std::string addresses_and_routes(size_t machine, bool with_ipv6, const std::string& attributes) {
  const std::string device = " dev " + std::string(kWireDevice);
  const std::string v4 = wire_ipv4(machine);
  std::string batch = "address add " + v4 + "/32" + device + "\n";
  batch += "route add " + std::string(kNet) + device + " src " + v4 + attributes + "\n";
  if (!with_ipv6) return batch;
  const std::string v6 = wire_ipv6(machine);
  batch += "address add " + v6 + "/128" + device + " nodad noprefixroute\n";
  batch += "route add " + std::string(kNet6) + device + " src " + v6 + attributes + "\n";
  return batch;
}

// A firewall forwards for a machine that has these addresses itself.
std::string routes_of_firewall(bool with_ipv6) {
  const std::string device = " dev " + std::string(kWireDevice) + "\n";
  return "route add " + std::string(kNet) + device +
         (with_ipv6 ? "route add " + std::string(kNet6) + device : "");
}

class TunWire final : public Wire {
 public:
  TunWire(const std::vector<WireEnd>& ends, const TunWireOptions& options)
      : ends_(ends),
        model_(wire_model(ends, options)),
        attributes_(route_attributes(options.conditions)),
        routers_(make_routers(options)),
        forwarder_(forwarder_options(options), options.self_binary, options.token) {
    const bool with_ipv6 = host_has_ipv6();
    Json machines = Json::object();
    Json routers = Json::object();
    for (size_t i = 0; i < ends.size(); ++i) {
      apply_buffers(options.conditions, ends[i].namespace_pid);
      const NatOptions nat = nat_of(options, ends[i].name);
      tie(i, nat, with_ipv6, options.conditions.routers_open);
      in_network_of(ends[i].namespace_pid,
                    [&] { machines.set(ends[i].name, namespace_conditions()); });
      if (routers_[i]) routers.set(ends[i].name, to_json(nat));
    }
    conditions_ = Json::object({{"kind", "tun"},
                                {"mtu", 1500},
                                {"ipv6", with_ipv6},
                                {"seed", std::to_string(options.seed)},
                                {"late_bound_ns", options.late_bound.count()},
                                {"model", model_json(model_, ends)},
                                {"conditions", to_json(options.conditions)},
                                {"machines", machines},
                                {"forwarder", forwarder_.greeting()}});
    if (routers != Json::object()) conditions_.set("routers", routers);
  }

  std::vector<std::pair<std::string, std::string>> addresses() const override {
    std::vector<std::pair<std::string, std::string>> result;
    for (size_t i = 0; i < ends_.size(); ++i) result.emplace_back(ends_[i].name, wire_ipv4(i));
    return result;
  }

  Json conditions() const override { return conditions_; }

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

  void tie(size_t machine, const NatOptions& nat, bool with_ipv6, bool open) {
    const bool firewall = nat.kind == NatKind::firewall;
    const bool with_ipv6_there = with_ipv6 && nat.kind == NatKind::none;
    in_network_of(outer_namespace(machine), [&] {
      run_ip_batch(device_up() +
                   (firewall ? routes_of_firewall(with_ipv6)
                             : addresses_and_routes(machine, with_ipv6_there, attributes_)));
    });
    if (!routers_[machine]) return;
    NatSite site{ends_[machine].namespace_pid,
                 std::string(kWireDevice),
                 wire_ipv4(machine),
                 {},
                 kNet,
                 kNet6,
                 attributes_};
    if (firewall && with_ipv6) site.ipv6 = wire_ipv6(machine);
    routers_[machine]->configure(nat, site, open);
  }

  ForwarderOptions forwarder_options(const TunWireOptions& options) const {
    ForwarderOptions result{{}, model_, options.late_bound};
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
        if (count.name == kWireDevice) drops += count.dropped_packets;
      }
    }
    return drops;
  }

  std::vector<WireEnd> ends_;
  WireModel model_;
  std::string attributes_;
  std::vector<std::unique_ptr<NatRouter>> routers_;  // where there is one, by machine
  ForwarderProcess forwarder_;
  Json conditions_;
};

}  // namespace

std::unique_ptr<Wire> make_tun_wire(const std::vector<WireEnd>& ends,
                                    const TunWireOptions& options) {
  return std::make_unique<TunWire>(ends, options);
}

}  // namespace fairwire
