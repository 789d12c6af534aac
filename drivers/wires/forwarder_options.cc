#include <limits>

#include "drivers/wires/forwarder.h"
#include "drivers/wires/wire_address.h"

namespace fairwire {
namespace {

constexpr int64_t kMostNumber = int64_t{1} << 50;

Json rate_json(const LinkRate& rate) {
  return Json::array({rate.bits_per_second, rate.queue_bytes});
}

LinkRate rate_from(const JsonView& view) {
  const auto items = view.items();
  if (items.size() != 2) view.fail("is not a rate and a queue");
  return {items[0].as_int(0, int64_t{1} << 42), items[1].as_int(0, kMostNumber)};
}

// Seeds use all 64 bits, JSON integers 63: they travel as text.
uint64_t seed_from(const JsonView& view) {
  const std::string text = view.as_nonempty_string();
  if (text.size() > 20 || text.find_first_not_of("0123456789") != text.npos) view.fail("no seed");
  return std::stoull(text);
}

// By its file: an argument holds 128 KiB, a trace may be longer.
Json trace_json(const TraceModel& trace) {
  if (trace.file.empty()) return nullptr;
  return Json::array({escape_name(trace.file), trace.repeat.count()});
}

TraceModel trace_from(const JsonView& view) {
  TraceModel trace;
  if (view.json().is_null()) return trace;
  const auto items = view.items();
  if (items.size() != 2) view.fail("is not a file and a time");
  const auto file = unescape_name(items[0].as_nonempty_string());
  if (!file) view.fail("is no file name");
  trace.file = *file;
  trace.repeat = Nanoseconds(items[1].as_int(0, kMostNumber));
  trace.trace = std::make_shared<WireTrace>(load_trace(trace.file, trace.repeat));
  return trace;
}

Json path_json(const PathModel& path) {
  return Json::object(
      {{"trace", trace_json(path.trace)},
       {"delay_ns", path.delay.count()},
       {"jitter_ns", path.jitter.count()},
       {"loss", path.loss},
       {"burst", Json::array({path.burst.enter, path.burst.leave, path.burst.loss})},
       {"rate", rate_json(path.rate)},
       {"seed", std::to_string(path.seed)}});
}

PathModel path_from(const JsonView& view) {
  view.allow_only({"trace", "delay_ns", "jitter_ns", "loss", "burst", "rate", "seed"});
  PathModel path;
  path.delay = Nanoseconds(view.at("delay_ns").as_int(0, kMostNumber));
  path.jitter = Nanoseconds(view.at("jitter_ns").as_int(0, kMostNumber));
  path.loss = view.at("loss").as_number();
  if (!(path.loss >= 0 && path.loss <= 1)) view.at("loss").fail("is not between 0 and 1");
  const auto burst = view.at("burst").items();
  if (burst.size() != 3) view.at("burst").fail("is not three chances");
  path.burst = {burst[0].as_number(), burst[1].as_number(), burst[2].as_number()};
  path.rate = rate_from(view.at("rate"));
  path.seed = seed_from(view.at("seed"));
  path.trace = trace_from(view.at("trace"));
  return path;
}

}  // namespace

Json to_json(const ForwarderOptions& options) {
  Json machines = Json::array();
  for (size_t i = 0; i < options.namespaces.size(); ++i) {
    const AccessModel& access = options.model.machines[i];
    machines.push(Json::object({{"namespace_pid", int64_t{options.namespaces[i]}},
                                {"up", rate_json(access.up)},
                                {"down", rate_json(access.down)},
                                {"up_trace", trace_json(access.up_trace)},
                                {"down_trace", trace_json(access.down_trace)}}));
  }
  Json paths = Json::array();
  for (const PathModel& path : options.model.paths) paths.push(path_json(path));
  return Json::object({{"machines", machines},
                       {"paths", paths},
                       {"late_bound_ns", options.late_bound.count()},
                       {"number", options.number},
                       {"gateway", options.gateway}});
}

ForwarderOptions forwarder_options_from(const Json& json) {
  const JsonView view(json, "forward");
  view.allow_only({"machines", "paths", "late_bound_ns", "number", "gateway"});
  ForwarderOptions options;
  for (const JsonView& machine : view.at("machines").items()) {
    machine.allow_only({"namespace_pid", "up", "down", "up_trace", "down_trace"});
    options.namespaces.push_back(
        static_cast<pid_t>(machine.at("namespace_pid").as_int(1, std::numeric_limits<int>::max())));
    options.model.machines.push_back({rate_from(machine.at("up")), rate_from(machine.at("down")),
                                      trace_from(machine.at("up_trace")),
                                      trace_from(machine.at("down_trace"))});
  }
  for (const JsonView& path : view.at("paths").items()) {
    options.model.paths.push_back(path_from(path));
  }
  const size_t count = options.namespaces.size();
  if (count > kMostMachines) view.at("machines").fail("are more than 32");
  if (options.model.paths.size() != count * count) view.at("paths").fail("are not N * N");
  options.late_bound = Nanoseconds(view.at("late_bound_ns").as_int(0, kMostNumber));
  options.number = static_cast<int>(view.at("number").as_int(0, kMostWireNumber));
  options.gateway =
      static_cast<int>(view.at("gateway").as_int(-1, static_cast<int64_t>(count) - 1));
  return options;
}

}  // namespace fairwire
