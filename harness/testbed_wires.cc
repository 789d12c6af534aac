// The wires of a testbed file: links, paths, traces and bounds.
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "harness/testbed_spec.h"

namespace fairwire {
namespace {

constexpr int64_t kMaximumBytes = int64_t{1} << 50;
constexpr int64_t kMaximumRate = 1'000'000'000'000;

// Beside the testbed, or in traces/ beside it, as a run folder keeps them.
std::string find_trace(const JsonView& view) {
  const std::string name = view.as_nonempty_string();
  const std::string here = view.file().substr(0, view.file().rfind('/') + 1);
  std::vector<std::string> candidates = {here + name,
                                         here + "traces/" + name.substr(name.rfind('/') + 1)};
  if (name[0] == '/') candidates[0] = name;
  for (const std::string& path : candidates) {
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  view.fail(candidates[0] + " cannot be read; a trace's name is relative to its testbed");
}

TraceModel parse_trace_of(const JsonView& view) {
  TraceModel trace;
  const auto name = view.find("trace");
  const auto repeat = view.find("repeat_s");
  if (!name) {
    if (repeat) repeat->fail("belongs to a trace");
    return trace;
  }
  if (view.find("rate")) name->fail("stands instead of a rate, not beside it");
  trace.file = find_trace(*name);
  if (repeat) trace.repeat = std::chrono::seconds(repeat->as_int(1, 7 * 24 * 3600));
  trace.trace = std::make_shared<WireTrace>(load_trace(trace.file, trace.repeat));
  return trace;
}

LinkSpec parse_link(const JsonView& view) {
  view.allow_only({"rate", "queue_bytes", "trace", "repeat_s"});
  LinkSpec link;
  if (const auto rate = view.find("rate")) link.bits_per_second = parse_rate(*rate);
  link.trace = parse_trace_of(view);
  if (link.trace.trace != nullptr) {
    if (link.trace.trace->rate == nullptr || !link.trace.trace->rows.empty()) {
      view.at("trace").fail("of a link holds rates and nothing else; delay and loss are of paths");
    }
    link.bits_per_second = link.trace.trace->rate->mean_bits_per_second();
  }
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
  view.allow_only({"from", "to", "delay_ms", "jitter_ms", "loss", "burst_loss", "rate",
                   "queue_bytes", "trace", "repeat_s"});
  PathSpec path;
  path.from = view.at("from").as_nonempty_string();
  path.to = view.at("to").as_nonempty_string();
  if (const auto delay = view.find("delay_ms")) path.delay = milliseconds(*delay);
  if (const auto jitter = view.find("jitter_ms")) path.jitter = milliseconds(*jitter);
  if (const auto loss = view.find("loss")) path.loss = share(*loss);
  if (const auto burst = view.find("burst_loss")) path.burst = parse_burst(*burst);
  if (const auto rate = view.find("rate")) path.bits_per_second = parse_rate(*rate);
  path.queue_bytes = view.int_or("queue_bytes", 0, 1538, kMaximumBytes);
  path.trace = parse_trace_of(view);
  if (const auto& trace = path.trace.trace) {
    if (trace->rate != nullptr) path.bits_per_second = trace->rate->mean_bits_per_second();
    if (!trace->rows.empty()) {
      for (const char* key : {"delay_ms", "loss"}) {
        if (view.find(key)) view.at(key).fail("is said by the trace");
      }
      path.delay = trace->rows.front().delay;
      path.loss = trace->rows.front().loss;
    }
  }
  return path;
}

Nanoseconds whole_seconds(const JsonView& view, const char* key) {
  const auto value = view.find(key);
  if (!value) return {};
  return std::chrono::seconds(value->as_int(1, 30 * 24 * 3600));
}

NatOptions parse_nat(const JsonView& view) {
  view.allow_only({"kind", "udp_timeout_s", "tcp_timeout_s"});
  NatOptions nat;
  nat.kind = nat_kind_named(view.at("kind").as_one_of(
      {"port-restricted", "symmetric", "full-cone", "firewall", "forwarded"}));
  nat.udp_timeout = whole_seconds(view, "udp_timeout_s");
  nat.tcp_timeout = whole_seconds(view, "tcp_timeout_s");
  return nat;
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
      item.allow_only({"machine", "up", "down", "nat"});
      wire.access.push_back({item.at("machine").as_nonempty_string(), {}, {}});
      if (const auto nat = item.find("nat")) wire.access.back().nat = parse_nat(*nat);
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

bool WireSpec::has_traces() const {
  const auto link = [](const AccessSpec& line) {
    return line.up.trace.trace != nullptr || line.down.trace.trace != nullptr;
  };
  const auto path = [](const PathSpec& line) { return line.trace.trace != nullptr; };
  return std::ranges::any_of(access, link) || std::ranges::any_of(paths, path);
}

AccessSpec WireSpec::access_of(const std::string& machine) const {
  AccessSpec found{machine, {}, {}};
  for (const AccessSpec& line : access) {
    if (!matches(line.machine, machine)) continue;
    found.up = line.up;
    found.down = line.down;
    found.nat = line.nat;
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

}  // namespace fairwire
