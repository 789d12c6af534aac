#include "harness/testbed_spec.h"

#include <arpa/inet.h>

#include <algorithm>
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

}  // namespace

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
