#include "drivers/wires/link_command.h"

#include <fmt/core.h>
#include <net/if.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "drivers/interrupt.h"
#include "drivers/meter/control_group.h"
#include "drivers/subprocess.h"
#include "drivers/sweep.h"
#include "drivers/wires/bare_network.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_wire.h"
#include "drivers/wires/user_namespace.h"
#include "drivers/wires/wire_address.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kStep = std::chrono::milliseconds(100);
constexpr Nanoseconds kGoodbye = std::chrono::seconds(2);

TunWireOptions wire_options(const LinkOptions& options, const std::string& token) {
  TunWireOptions wire;
  wire.self_binary = options.self_binary;
  wire.token = token;
  wire.seed = options.seed;
  const auto add = [&](const char* from, const char* to, const LinkLimit& limit) {
    wire.paths.push_back(
        {from, to, options.round_trip / 2, options.jitter, options.loss, limit, options.burst});
  };
  add("here", "peer", options.up);
  add("peer", "here", options.down);
  wire.access = {{"here", {}, {}, {options.nat, {}, {}}},
                 {"peer", {}, {}, {options.peer_nat, {}, {}}}};
  wire.conditions.buffers = options.tuned_buffers ? Buffers::tuned : Buffers::as_host;
  wire.conditions.congestion_control = options.congestion_control;
  return wire;
}

// The number of a wire that this network has no device of.
int free_number() {
  for (int number = 1; number <= kMostWireNumber; ++number) {
    if (::if_nametoindex(wire_device(number).c_str()) == 0) return number;
  }
  throw ProtocolError("255 links inside of this one are enough");
}

bool inside_a_link() {
  return ::getenv("FAIRWIRE_SELF") != nullptr && ::getenv("FAIRWIRE_PEER") != nullptr;
}

// The way out of a link inside of another: the network we are in forwards for it, under its own
// address.
class WayOut {
 public:
  explicit WayOut(int number) : table_("fairwire_" + wire_device(number)) {
    const std::string device = wire_device(number);
    run_nft("table inet " + table_ +
            " {\n  chain after {\n    type nat hook postrouting priority srcnat; policy accept;\n"
            "    iifname \"" +
            device + "\" masquerade\n  }\n}\n");
    set_of_namespace("ipv4/ip_forward", "1");
    if (host_has_ipv6()) set_of_namespace("ipv6/conf/all/forwarding", "1");
  }
  ~WayOut() {
    try {
      run_nft("delete table inet " + table_ + "\n");
    } catch (const std::exception& error) {
      log_warning(error.what());
    }
  }
  WayOut(const WayOut&) = delete;
  WayOut& operator=(const WayOut&) = delete;

 private:
  std::string table_;
};

// What the two commands leave running is killed with their group.
std::optional<ControlGroup> command_group(const std::string& token) {
  for (const char* kind : {"cgroup2", "cpuacct"}) {
    const auto own = writable_own_group(kind);
    if (own) return std::make_optional<ControlGroup>(*own + "/fairwire-" + token + "-link");
  }
  return std::nullopt;
}

class Link {
 public:
  explicit Link(const LinkOptions& options)
      : token_(owner_token()),
        nested_(options.peer.empty() && inside_a_link()),
        group_(command_group(token_)) {
    if (!nested_) there_.emplace();
    TunWireOptions wire = wire_options(options, token_);
    if (nested_) {
      wire.number = free_number();
      wire.gateway = "peer";
    }
    wire_ = make_tun_wire(
        {{"here", here_.namespace_pid()}, {"peer", nested_ ? ::getpid() : there_->namespace_pid()}},
        wire);
    if (nested_) way_out_.emplace(wire.number);
  }

  ~Link() {
    wire_.reset();  // its forwarder carries our mark, too
    if (!group_) kill_marked_with(token_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int run(const LinkOptions& options) {
    std::optional<Subprocess> peer;
    const auto peer_words = split_words(options.peer);
    if (!peer_words.empty()) start(*there_, spawn_for(peer_words, 1, 0), peer);
    SpawnOptions spawn = spawn_for(options.command, 0, 1);
    // In our own group and on our terminal: Ctrl-C reaches it as it reaches us.
    spawn.own_group = false;
    spawn.stdin_fd = STDIN_FILENO;
    std::optional<Subprocess> command;
    if (options.up.trace.trace != nullptr || options.down.trace.trace != nullptr) {
      wire_->change({.what = "start-traces"});
    }
    start(here_, spawn, command);
    const ExitStatus status = wait_for(*command);
    if (peer) stop(*peer);
    report();
    return status.exited() ? status.exit_code() : 128 + status.signal();
  }

 private:
  SpawnOptions spawn_for(const std::vector<std::string>& argv, size_t self, size_t peer) const {
    SpawnOptions spawn;
    spawn.argv = argv;
    spawn.inherit_environment = true;
    spawn.environment = {{"FAIRWIRE_TOKEN", token_},
                         {"FAIRWIRE_SELF", wire_->addresses()[self].second}};
    // Inside of a link the peer is that of the outermost one.
    if (!nested_) spawn.environment.emplace_back("FAIRWIRE_PEER", wire_->addresses()[peer].second);
    spawn.stdout_fd = STDOUT_FILENO;
    spawn.parent_death_signal = SIGKILL;
    if (group_) spawn.cgroup_procs = {group_->path() + "/cgroup.procs"};
    return spawn;
  }

  static void start(BareNetwork& network, const SpawnOptions& spawn,
                    std::optional<Subprocess>& process) {
    network.run([&] { process.emplace(spawn); });
  }

  ExitStatus wait_for(Subprocess& command) {
    while (true) {
      if (const auto status = command.wait(kStep)) return *status;
      check_interrupted();
      wire_->check();
    }
  }

  static void stop(Subprocess& peer) {
    if (peer.wait(Nanoseconds::zero())) return;
    peer.signal_group(SIGTERM);
    peer.wait(kGoodbye);
  }

  void report() {
    const WireReading reading = wire_->read();
    for (const PairCount& pair : reading.pairs) {
      log_info(fmt::format("{} to {}: {} bytes on the wire, {} packets, {} dropped", pair.from,
                           pair.to, pair.bytes, pair.packets, pair.dropped_packets));
    }
    log_info("lateness: " + reading.lateness.dump());
  }

  std::string token_;
  bool nested_;
  BareNetwork here_;
  std::optional<BareNetwork> there_;
  std::unique_ptr<Wire> wire_;
  std::optional<WayOut> way_out_;
  std::optional<ControlGroup> group_;
};

}  // namespace

int run_link(const LinkOptions& options) {
  if (options.command.empty()) throw FormatError("link", "command line", "names no command");
  gain_network_rights();
  catch_interrupts();
  return Link(options).run(options);
}

}  // namespace fairwire
