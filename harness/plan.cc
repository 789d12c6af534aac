#include "harness/plan.h"

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "harness/testbed_spec.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumPlanFile = 4 << 20;
constexpr int64_t kMaximumRounds = 1000;
constexpr int64_t kMaximumSeconds = 7 * 24 * 3600;

// Names become folder names, table cells and JSON keys: keep them plain.
std::string plain_name(const JsonView& view) {
  const std::string name = view.as_nonempty_string();
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (name.size() > 100 || !std::all_of(name.begin(), name.end(), plain) || name[0] == '.') {
    view.fail("a name is 1 to 100 of a-z 0-9 - _ . and does not begin with a dot");
  }
  return name;
}

Nanoseconds seconds_or(const JsonView& view, std::string_view key, Nanoseconds otherwise) {
  const auto member = view.find(key);
  if (!member) return otherwise;
  return std::chrono::seconds(member->as_int(1, kMaximumSeconds));
}

std::vector<Variant> parse_variants(const JsonView& view) {
  std::vector<Variant> variants;
  std::set<std::string> seen;
  for (const JsonView& item : view.items()) {
    variants.push_back(parse_variant(item));
    if (!seen.insert(variants.back().name).second) item.fail("occurs twice");
  }
  if (variants.empty()) view.fail("needs at least one tool");
  return variants;
}

Conditions parse_conditions(const JsonView& view) {
  view.allow_only(
      {"durable", "index", "cache", "buffers", "congestion", "congestion_locked", "count_calls"});
  Conditions conditions;
  conditions.durable = view.bool_or("durable", false);
  if (const auto v = view.find("index")) conditions.index = v->as_one_of({"cold", "warm"});
  if (const auto v = view.find("cache")) conditions.cache = v->as_one_of({"cold", "warm"});
  if (const auto v = view.find("buffers")) conditions.buffers = v->as_one_of({"default", "tuned"});
  if (const auto v = view.find("congestion")) {
    conditions.congestion = v->as_one_of({"cubic", "bbr", "reno"});
  }
  conditions.congestion_locked = view.bool_or("congestion_locked", true);
  conditions.count_calls = view.bool_or("count_calls", false);
  return conditions;
}

// Keys that belong to one kind of event are wrong in every other.
WireChange parse_change(const JsonView& view, const std::string& what) {
  const bool of_pair = what == "set-delay" || what == "blackhole" || what == "restore";
  const auto need = [&](const char* key, bool wanted) {
    if (!wanted && view.find(key)) view.at(key).fail("does not belong to " + what);
  };
  for (const char* key : {"from", "to"}) need(key, of_pair);
  for (const char* key : {"up", "down"}) need(key, what == "set-rate");
  need("delay_ms", what == "set-delay");
  need("machine", !of_pair);
  WireChange change;
  change.what = what;
  if (of_pair) {
    change.from = view.at("from").as_nonempty_string();
    change.to = view.at("to").as_nonempty_string();
  }
  if (what == "set-delay") {
    change.delay = std::chrono::milliseconds(view.at("delay_ms").as_int(0, 3'600'000));
  }
  if (what == "set-rate") {
    if (const auto up = view.find("up")) change.up_bits_per_second = parse_rate(*up);
    if (const auto down = view.find("down")) change.down_bits_per_second = parse_rate(*down);
    if (!view.find("up") && !view.find("down")) view.fail("set-rate needs \"up\" or \"down\"");
  }
  return change;
}

CaseEvent parse_event(const JsonView& view) {
  view.allow_only({"do", "machine", "path", "from", "to", "up", "down", "delay_ms", "at"});
  CaseEvent event;
  event.what =
      view.at("do").as_one_of({"stop", "pause", "resume", "kill", "delete", "link-down", "link-up",
                               "set-rate", "set-delay", "blackhole", "restore"});
  event.machine = view.string_or("machine", "");
  event.change = parse_change(view, event.what);
  event.path = view.string_or("path", "");
  const JsonView at = view.at("at");
  at.allow_only({"bytes", "ms", "op"});
  if (const auto bytes = at.find("bytes")) {
    event.at_bytes = bytes->as_int(0, int64_t{1} << 50);
  } else if (const auto ms = at.find("ms")) {
    event.at_time = std::chrono::milliseconds(ms->as_int(0, kMaximumSeconds * 1000));
  } else {
    event.at_op = at.at("op").as_nonempty_string();
  }
  return event;
}

void parse_roles(const JsonView& view, CaseSpec& spec) {
  view.allow_only({"writer", "readers", "relay", "bucket"});
  spec.writer = view.string_or("writer", spec.writer);
  if (const auto readers = view.find("readers")) {
    spec.readers = readers->as_strings();
    if (spec.readers.empty()) readers->fail("needs at least one reader");
  }
  spec.relay = view.string_or("relay", "");
  spec.bucket = view.string_or("bucket", "");
}

// What a case takes from its plan when it does not say.
struct CaseDefaults {
  std::vector<Variant> variants;
  std::vector<std::string> controls;
  int64_t rounds = 6;
};

CaseSpec parse_case(const JsonView& view, const CaseDefaults& plan) {
  view.allow_only({"name", "title", "scenario", "dataset", "mutation", "wire", "roles", "variants",
                   "rounds", "controls", "conditions", "events", "deadline_s", "stall_s",
                   "idle_s"});
  CaseSpec spec;
  spec.name = plain_name(view.at("name"));
  spec.title = view.string_or("title", spec.name);
  spec.scenario = view.at("scenario")
                      .as_one_of({"pull", "pull-again", "update", "push", "push-again", "resume",
                                  "swarm", "read", "list", "connect", "idle"});
  spec.dataset = view.at("dataset").as_nonempty_string();
  spec.mutation = view.string_or("mutation", "");
  spec.wire = view.at("wire").as_nonempty_string();
  if (const auto roles = view.find("roles")) parse_roles(*roles, spec);
  if (const auto variants = view.find("variants")) {
    spec.variants = parse_variants(*variants);
  } else {
    spec.variants = plan.variants;
  }
  if (spec.variants.empty()) view.fail("\"variants\" is missing here and in the plan");
  spec.rounds = view.int_or("rounds", plan.rounds, 1, kMaximumRounds);
  const auto controls = view.find("controls");
  spec.controls = controls ? controls->as_strings() : plan.controls;
  if (const auto conditions = view.find("conditions")) {
    spec.conditions = parse_conditions(*conditions);
  }
  if (const auto events = view.find("events")) {
    for (const JsonView& event : events->items()) spec.events.push_back(parse_event(event));
  }
  spec.deadline = seconds_or(view, "deadline_s", spec.deadline);
  spec.stall = seconds_or(view, "stall_s", spec.stall);
  spec.idle = seconds_or(view, "idle_s", spec.idle);
  return spec;
}

uint64_t parse_seed(const JsonView& view) {
  return static_cast<uint64_t>(view.as_int(0, std::numeric_limits<int64_t>::max()));
}

Json checked_builds(const JsonView& view) {
  for (const auto& [build, programs] : view.members()) {
    for (const auto& [program, path] : programs.members()) {
      if (!path.as_string().starts_with('/')) path.fail("must be an absolute path");
    }
  }
  return view.json();
}

void check_builds(const JsonView& view, const Plan& plan) {
  for (const CaseSpec& spec : plan.cases) {
    for (const Variant& variant : spec.variants) {
      if (!variant.build.empty() && plan.builds.find(variant.build) == nullptr) {
        view.fail("the variant \"" + variant.name + "\" names a build that \"builds\" lacks");
      }
    }
  }
}

}  // namespace

Variant parse_variant(const JsonView& view) {
  Variant variant;
  variant.name = view.as_nonempty_string();
  std::string rest = variant.name;
  if (const size_t at = rest.find('@'); at != std::string::npos) {
    variant.build = rest.substr(at + 1);
    rest.resize(at);
    if (variant.build.empty()) view.fail("nothing stands behind the @; write TOOL@BUILD");
  }
  const size_t colon = rest.find(':');
  variant.tool = rest.substr(0, colon);
  if (variant.tool.empty()) view.fail("needs a tool: TOOL[:SETTING[+SETTING]][@BUILD]");
  while (colon != std::string::npos && rest.size() > colon) {
    const size_t plus = rest.find('+', colon + 1);
    variant.settings.push_back(rest.substr(colon + 1, plus - colon - 1));
    if (variant.settings.back().empty()) view.fail("has an empty setting");
    rest.erase(colon, plus == std::string::npos ? plus : plus - colon);
  }
  return variant;
}

NetworkConditions Conditions::network() const {
  NetworkConditions conditions;
  conditions.buffers = buffers == "tuned" ? Buffers::tuned : Buffers::as_host;
  conditions.congestion_control = congestion;
  conditions.locked = congestion_locked;
  return conditions;
}

Json Conditions::to_json() const {
  return Json::object({{"durable", durable},
                       {"index", index},
                       {"cache", cache},
                       {"buffers", buffers},
                       {"congestion", congestion.empty() ? Json() : Json(congestion)},
                       {"congestion_locked", congestion_locked},
                       {"count_calls", count_calls}});
}

Plan parse_plan(const Json& json, const std::string& file) {
  const JsonView view(json, file);
  view.allow_only({"schema", "name", "title", "testbed", "seed", "rounds", "controls", "page",
                   "threshold_percent", "builds", "variants", "cases"});
  view.at("schema").as_int(1, 1);
  Plan plan;
  plan.file = file;
  plan.name = plain_name(view.at("name"));
  plan.title = view.string_or("title", plan.name);
  plan.testbed = view.at("testbed").as_nonempty_string();
  if (const auto seed = view.find("seed")) plan.seed = parse_seed(*seed);
  if (const auto controls = view.find("controls")) plan.controls = controls->as_strings();
  plan.page = view.string_or("page", "");
  plan.threshold_percent = view.int_or("threshold_percent", 5, 1, 100);
  if (const auto builds = view.find("builds")) plan.builds = checked_builds(*builds);
  std::vector<Variant> variants;
  if (const auto member = view.find("variants")) variants = parse_variants(*member);
  const int64_t rounds = view.int_or("rounds", 6, 1, kMaximumRounds);
  std::set<std::string> seen;
  for (const JsonView& item : view.at("cases").items()) {
    plan.cases.push_back(parse_case(item, {variants, plan.controls, rounds}));
    if (!seen.insert(plan.cases.back().name).second) item.at("name").fail("occurs twice");
  }
  if (plan.cases.empty()) view.at("cases").fail("needs at least one case");
  check_builds(view, plan);
  return plan;
}

Plan load_plan(const std::string& path) {
  const std::string text = read_file(path, kMaximumPlanFile);
  Plan plan = parse_plan(Json::parse(text, path), path);
  plan.digest = to_hex(sha256(text));
  return plan;
}

}  // namespace fairwire
