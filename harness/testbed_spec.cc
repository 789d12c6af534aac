#include "harness/testbed_spec.h"

#include <arpa/inet.h>

#include <charconv>
#include <set>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumTestbedFile = 1 << 20;
constexpr size_t kMaximumMachines = 16;
constexpr int64_t kMaximumBytes = int64_t{1} << 50;
constexpr int64_t kMaximumRate = 1'000'000'000'000;

std::string machine_name(const JsonView& view) {
  const std::string name = view.as_nonempty_string();
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (!plain || name.size() > 32) view.fail("a machine's name is 1 to 32 of a-z 0-9 -");
  }
  return name;
}

std::string numeric_address(const JsonView& view) {
  const std::string address = view.as_string();
  in6_addr scratch{};
  if (::inet_pton(AF_INET, address.c_str(), &scratch) != 1 &&
      ::inet_pton(AF_INET6, address.c_str(), &scratch) != 1) {
    view.fail("must be a numeric IPv4 or IPv6 address: every tool dials the same one");
  }
  return address;
}

MachineSpec parse_machine(const JsonView& view) {
  MachineSpec spec;
  spec.name = machine_name(view.at("name"));
  spec.kind = view.at("kind").as_one_of({"local", "netns", "ssh", "cloud"});
  if (spec.kind == "netns") {
    view.allow_only({"name", "kind", "root_bytes", "work_bytes"});
    spec.root_bytes = view.int_or("root_bytes", 0, 1 << 20, kMaximumBytes);
    spec.work_bytes = view.int_or("work_bytes", 0, 1 << 20, kMaximumBytes);
  } else if (spec.kind == "local") {
    view.allow_only({"name", "kind", "address"});
    spec.address = "127.0.0.1";
    if (const auto address = view.find("address")) spec.address = numeric_address(*address);
  } else if (spec.kind == "ssh") {
    view.allow_only({"name", "kind", "host", "port", "user", "identity_file", "host_key",
                     "work_root", "address"});
    spec.host = view.at("host").as_nonempty_string();
    spec.port = view.int_or("port", 22, 1, 65535);
    spec.user = view.string_or("user", "");
    spec.identity_file = view.string_or("identity_file", "");
    spec.host_key = view.string_or("host_key", "");
    spec.work_root = view.string_or("work_root", "");
    spec.address = numeric_address(view.at("address"));
  } else {
    view.allow_only({"name", "kind", "cloud"});
    spec.cloud = view.at("cloud").as_nonempty_string();
  }
  return spec;
}

LinkSpec parse_link(const JsonView& view) {
  view.allow_only({"rate", "queue_bytes"});
  LinkSpec link;
  if (const auto rate = view.find("rate")) link.bits_per_second = parse_rate(*rate);
  link.queue_bytes = view.int_or("queue_bytes", 0, 1538, kMaximumBytes);
  return link;
}

Nanoseconds milliseconds(const JsonView& view) {
  const double value = view.as_number();
  if (value < 0 || value > 60000) view.fail("must be from 0 to 60000 milliseconds");
  return Nanoseconds(static_cast<int64_t>(value * 1e6));
}

double share(const JsonView& view) {
  const double value = view.as_number();
  if (value < 0 || value > 1) view.fail("must be a share from 0 to 1");
  return value;
}

BurstLoss parse_burst(const JsonView& view) {
  view.allow_only({"enter", "leave", "loss"});
  BurstLoss burst;
  burst.enter = share(view.at("enter"));
  burst.leave = share(view.at("leave"));
  if (const auto loss = view.find("loss")) burst.loss = share(*loss);
  if (burst.leave == 0) view.at("leave").fail("must be above 0, or no burst ever ends");
  return burst;
}

PathSpec parse_path(const JsonView& view) {
  view.allow_only(
      {"from", "to", "delay_ms", "jitter_ms", "loss", "burst_loss", "rate", "queue_bytes"});
  PathSpec path;
  path.from = view.at("from").as_nonempty_string();
  path.to = view.at("to").as_nonempty_string();
  if (const auto delay = view.find("delay_ms")) path.delay = milliseconds(*delay);
  if (const auto jitter = view.find("jitter_ms")) path.jitter = milliseconds(*jitter);
  if (const auto loss = view.find("loss")) path.loss = share(*loss);
  if (const auto burst = view.find("burst_loss")) path.burst = parse_burst(*burst);
  if (const auto rate = view.find("rate")) path.bits_per_second = parse_rate(*rate);
  path.queue_bytes = view.int_or("queue_bytes", 0, 1538, kMaximumBytes);
  return path;
}

WireSpec parse_wire(const JsonView& view) {
  WireSpec wire;
  wire.name = view.at("name").as_nonempty_string();
  wire.title = view.string_or("title", wire.name);
  wire.kind = view.at("kind").as_one_of({"open", "tun", "real"});
  if (wire.kind != "tun") {
    view.allow_only({"name", "title", "kind"});
    return wire;
  }
  view.allow_only({"name", "title", "kind", "access", "paths", "round_trip_bound", "goodput_bound",
                   "late_bound_ms"});
  if (const auto access = view.find("access")) {
    for (const JsonView& item : access->items()) {
      item.allow_only({"machine", "up", "down"});
      wire.access.push_back({item.at("machine").as_nonempty_string(), {}, {}});
      if (const auto up = item.find("up")) wire.access.back().up = parse_link(*up);
      if (const auto down = item.find("down")) wire.access.back().down = parse_link(*down);
    }
  }
  if (const auto paths = view.find("paths")) {
    for (const JsonView& item : paths->items()) wire.paths.push_back(parse_path(item));
  }
  if (const auto bound = view.find("round_trip_bound")) wire.round_trip_bound = share(*bound);
  if (const auto bound = view.find("goodput_bound")) wire.goodput_bound = share(*bound);
  if (const auto bound = view.find("late_bound_ms")) wire.late_bound = milliseconds(*bound);
  return wire;
}

// Every machine a wire names must exist; netns machines need a wire we lay ourselves.
void check_wire(const JsonView& view, const TestbedSpec& testbed, const WireSpec& wire) {
  const auto check = [&](const std::string& name) {
    if (name != "*" && testbed.machine(name) == nullptr) {
      view.fail("names the machine \"" + name + "\", which this testbed lacks");
    }
  };
  for (const AccessSpec& access : wire.access) check(access.machine);
  for (const PathSpec& path : wire.paths) {
    check(path.from);
    check(path.to);
  }
  for (const MachineSpec& machine : testbed.machines) {
    if ((machine.kind == "netns") == (wire.kind == "real")) {
      view.at("kind").fail(machine.kind == "netns"
                               ? "\"real\" does not reach the netns machine \"" + machine.name +
                                     "\"; use open or tun"
                               : "only netns machines can be put on a wire of ours; \"" +
                                     machine.name + "\" needs \"real\"");
    }
  }
}

bool matches(const std::string& pattern, const std::string& name) {
  return pattern == "*" || pattern == name;
}

}  // namespace

int64_t parse_rate(const JsonView& view) {
  const std::string text = view.as_string();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  int64_t scale = 0;
  if (unit == "bit") scale = 1;
  if (unit == "kbit") scale = 1000;
  if (unit == "mbit") scale = 1'000'000;
  if (unit == "gbit") scale = 1'000'000'000;
  if (error != std::errc() || scale == 0 || number <= 0 || number > kMaximumRate / scale) {
    view.fail("\"" + text + "\" is no rate; write a whole number and bit, kbit, mbit or gbit");
  }
  return number * scale;
}

AccessSpec WireSpec::access_of(const std::string& machine) const {
  AccessSpec found{machine, {}, {}};
  for (const AccessSpec& line : access) {
    if (!matches(line.machine, machine)) continue;
    found.up = line.up;
    found.down = line.down;
  }
  return found;
}

PathSpec WireSpec::path_between(const std::string& from, const std::string& to) const {
  PathSpec found;
  for (const PathSpec& line : paths) {
    if (matches(line.from, from) && matches(line.to, to)) found = line;
  }
  found.from = from;
  found.to = to;
  return found;
}

int64_t goodput_of(int64_t bits_per_second) {
  constexpr int64_t kPayload = 1448;  // of an Ethernet frame with preamble and gap: 1538 bytes
  return bits_per_second / 8 * kPayload / 1538;
}

const MachineSpec* TestbedSpec::machine(const std::string& machine_name) const {
  for (const MachineSpec& spec : machines) {
    if (spec.name == machine_name) return &spec;
  }
  return nullptr;
}

const WireSpec* TestbedSpec::wire(const std::string& wire_name) const {
  for (const WireSpec& spec : wires) {
    if (spec.name == wire_name) return &spec;
  }
  return nullptr;
}

TestbedSpec parse_testbed(const Json& json, const std::string& file) {
  const JsonView view(json, file);
  view.allow_only({"schema", "name", "title", "machines", "wires"});
  view.at("schema").as_int(1, 1);
  TestbedSpec testbed;
  testbed.file = file;
  testbed.name = view.at("name").as_nonempty_string();
  testbed.title = view.string_or("title", testbed.name);
  for (const JsonView& item : view.at("machines").items()) {
    MachineSpec spec = parse_machine(item);
    if (testbed.machine(spec.name) != nullptr) item.at("name").fail("occurs twice");
    testbed.machines.push_back(std::move(spec));
  }
  if (testbed.machines.empty() || testbed.machines.size() > kMaximumMachines) {
    view.at("machines").fail("must be 1 to 16 machines");
  }
  for (const JsonView& item : view.at("wires").items()) {
    WireSpec wire = parse_wire(item);
    if (testbed.wire(wire.name) != nullptr) item.at("name").fail("occurs twice");
    check_wire(item, testbed, wire);
    testbed.wires.push_back(std::move(wire));
  }
  if (testbed.wires.empty()) view.at("wires").fail("needs at least one wire");
  return testbed;
}

TestbedSpec load_testbed(const std::string& path) {
  const std::string text = read_file(path, kMaximumTestbedFile);
  TestbedSpec testbed = parse_testbed(Json::parse(text, path), path);
  testbed.digest = to_hex(sha256(text));
  return testbed;
}

}  // namespace fairwire
