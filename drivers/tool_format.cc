// Tool files as docs/tool.md has them, read into ToolSpec.
#include <algorithm>
#include <array>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/pattern.h"
#include "drivers/tool.h"
#include "drivers/tool_bindings.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumToolFile = 1 << 20;

constexpr std::array<std::string_view, 16> kBindings = {
    "self", "tree", "work",   "writer",  "reader",   "peers",    "bucket", "port",
    "key",  "seed", "source", "service", "fairwire", "settings", "home",   "reader_tree"};

std::string binding_list() {
  std::string list;
  for (const std::string_view name : kBindings)
    list += (list.empty() ? "{" : " {") + std::string(name) + "}";
  return list;
}

// A text of a tool file, with its bindings checked where they stand.
std::string bound_text(const JsonView& view) {
  const std::string text = view.as_string();
  scan_bindings(
      text, [](std::string_view) {},
      [&](std::string_view name) {
        if (std::find(kBindings.begin(), kBindings.end(), name) == kBindings.end()) {
          view.fail("unknown binding {" + std::string(name) + "}; known: " + binding_list());
        }
      },
      [&](const char* reason) { view.fail(reason); });
  return text;
}

std::vector<std::string> bound_texts(const JsonView& view) {
  std::vector<std::string> texts;
  for (const JsonView& item : view.items()) texts.push_back(bound_text(item));
  return texts;
}

std::vector<std::string> parse_argv(const JsonView& view) {
  std::vector<std::string> argv = bound_texts(view);
  if (argv.empty() || argv[0].empty()) view.fail("a command needs a program name first");
  return argv;
}

void check_pattern(const JsonView& view, size_t groups, const char* hold) {
  const Pattern pattern(view.as_string());
  if (!pattern.valid()) view.fail("not a POSIX extended regular expression");
  if (pattern.groups() < groups) view.fail(std::string("needs ") + hold);
}

// `also`: keys that stand beside those of a step.
Step parse_step(const JsonView& view, std::string_view also = "argv") {
  Step step;
  if (view.json().if_array() != nullptr) {
    step.argv = parse_argv(view);
    return step;
  }
  view.allow_only({"argv", "output", "environment", also});
  step.argv = parse_argv(view.at("argv"));
  if (const auto output = view.find("output")) step.output = bound_text(*output);
  if (const auto environment = view.find("environment")) {
    for (const auto& [name, value] : environment->members()) {
      step.environment.emplace_back(name, bound_text(value));
    }
  }
  return step;
}

Until parse_until(const JsonView& view) {
  view.allow_only({"answered", "output"});
  Until until;
  until.answered = view.bool_or("answered", false);
  if (const auto output = view.find("output")) {
    check_pattern(*output, 0, "");
    until.output = output->as_nonempty_string();
  }
  if (!until.any()) view.fail("needs \"answered\": true or \"output\"");
  return until;
}

Trigger parse_trigger(const std::string& scenario, const JsonView& view) {
  const Json* http = view.json().find("http");
  if (http == nullptr) {
    Trigger trigger{parse_step(view, scenario == "connect" ? "until" : "argv"), Json(), {}};
    if (view.json().if_array() != nullptr) return trigger;
    if (const auto until = view.find("until")) trigger.until = parse_until(*until);
    return trigger;
  }
  view.allow_only({"http"});
  const JsonView request = view.at("http");
  request.allow_only({"method", "url", "body", "expect"});
  bound_text(request.at("url"));
  return {Step{}, *http, {}};
}

ReadyProbe parse_ready(const JsonView& view) {
  view.allow_only({"tcp", "file", "within_s"});
  ReadyProbe ready;
  if (const auto tcp = view.find("tcp")) ready.tcp = bound_text(*tcp);
  if (const auto file = view.find("file")) ready.file = bound_text(*file);
  if (ready.tcp.empty() && ready.file.empty()) view.fail("needs \"tcp\" or \"file\"");
  ready.within = std::chrono::seconds(view.int_or("within_s", 10, 1, 600));
  return ready;
}

std::vector<ToolFile> parse_files(const JsonView& view) {
  std::vector<ToolFile> files;
  for (const auto& [path, lines] : view.members()) {
    const Json path_json(path);
    const std::string bound = bound_text(JsonView(path_json, view.file(), lines.pointer()));
    if (!bound.starts_with("{work}/")) lines.fail("files are written below {work}/ only");
    files.emplace_back(bound, bound_texts(lines));
  }
  return files;
}

constexpr std::array<std::string_view, 12> kScenarios = {
    "pull",  "pull-again", "update", "push",    "push-again", "resume",
    "swarm", "read",       "list",   "connect", "idle",       "control"};

ToolRole parse_role(const JsonView& view, const std::vector<ToolFile>& common_files) {
  ToolRole role;
  role.files = common_files;
  for (const auto& [key, value] : view.members()) {
    if (key == "service") {
      role.service = value.as_nonempty_string();
    } else if (key == "files") {
      for (ToolFile& file : parse_files(value)) role.files.push_back(std::move(file));
    } else if (key == "prepare") {
      for (const JsonView& step : value.items()) role.prepare.push_back(parse_step(step));
    } else if (key == "index") {
      for (const JsonView& step : value.items()) role.index.push_back(parse_step(step));
    } else if (key == "shares") {
      role.shares = bound_texts(value);
    } else if (key == "serve") {
      role.serve = parse_step(value);
    } else if (key == "ready") {
      role.ready = parse_ready(value);
    } else if (key == "stop") {
      role.stop = parse_step(value);
    } else if (std::find(kScenarios.begin(), kScenarios.end(), key) != kScenarios.end()) {
      role.triggers[key] = parse_trigger(key, value);
    } else {
      value.fail(
          "unknown key; the keys here are: service, files, prepare, index, shares, serve, "
          "ready, stop, and the scenarios");
    }
  }
  if (role.ready && !role.serve) view.fail("\"ready\" without \"serve\"");
  return role;
}

ListingFormat parse_listing(const JsonView& view) {
  view.allow_only({"match", "path", "end", "octal"});
  ListingFormat format;
  check_pattern(view.at("match"), 2, "two groups: a size and a path");
  format.match = view.at("match").as_string();
  format.path = static_cast<size_t>(view.int_or("path", 2, 1, 2));
  if (const auto end = view.find("end")) {
    format.end = end->as_one_of({"newline", "nul"}) == "nul" ? '\0' : '\n';
  }
  format.octal = view.string_or("octal", "");
  return format;
}

// It becomes part of log and folder names.
std::string plain_name(const JsonView& view) {
  const std::string name = view.as_nonempty_string();
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!plain || name.size() > 60) view.fail("a tool's name is 1 to 60 of a-z 0-9 -");
  return name;
}

using Roles = std::map<std::string, ToolRole>;

Roles parse_roles(const JsonView& view, const std::vector<ToolFile>& common_files) {
  Roles roles;
  for (const char* name : {"writer", "reader", "relay", "bucket"}) {
    if (const auto role = view.find(name)) roles[name] = parse_role(*role, common_files);
  }
  return roles;
}

bool keeps_running(const Roles& roles) {
  return std::any_of(roles.begin(), roles.end(), [](const auto& role) {
    return role.second.serve || !role.second.service.empty();
  });
}

void check_roles(const JsonView& view, const ToolSpec& tool) {
  if (tool.roles.empty()) view.fail("needs at least one role: writer, reader, relay or bucket");
  for (const std::string& scenario : tool.can) {
    const Roles& roles = tool.roles_for(scenario);
    const bool triggered = std::any_of(roles.begin(), roles.end(), [&](const auto& role) {
      return role.second.trigger(scenario) != nullptr;
    });
    if (!triggered && scenario != "idle") {
      view.at("can").fail("says it can " + scenario + ", but no role has a trigger for it");
    }
    if (scenario == "list" && !tool.listing) {
      view.at("can").fail("says it can list, but \"listing\" does not say how to read its lines");
    }
    if (scenario == "idle" && (!tool.can_do("pull") || !keeps_running(roles))) {
      view.at("can").fail(
          "says it can idle: that takes a pull, and something that goes on after it");
    }
  }
}

}  // namespace

ToolSpec parse_tool(const Json& json, const std::string& file) {
  const JsonView view(json, file);
  view.allow_only({"schema",   "name",     "title", "version", "binaries",         "can",
                   "keeps",    "settings", "files", "writer",  "reader",           "relay",
                   "bucket",   "push",     "done",  "durable", "durable_settings", "listing",
                   "counters", "notes"});
  view.at("schema").as_int(1, 1);
  ToolSpec tool;
  tool.file = file;
  tool.name = plain_name(view.at("name"));
  tool.title = view.string_or("title", tool.name);
  const JsonView version = view.at("version");
  version.allow_only({"argv", "match"});
  tool.version_argv = parse_argv(version.at("argv"));
  check_pattern(version.at("match"), 1, "one group that holds the version");
  tool.version_match = version.at("match").as_string();
  tool.binaries = {tool.version_argv[0]};
  if (const auto binaries = view.find("binaries")) tool.binaries = bound_texts(*binaries);
  if (const auto can = view.find("can")) {
    for (const JsonView& item : can->items()) tool.can.push_back(item.as_one_of(kScenarios));
  }
  if (const auto keeps = view.find("keeps")) {
    for (const JsonView& item : keeps->items()) {
      tool.keeps.push_back(item.as_one_of(
          {"mode", "mtime", "mtime-seconds", "symlink", "hard-link", "owner", "xattr", "sparse"}));
    }
  }
  if (const auto settings = view.find("settings")) {
    for (const auto& [name, value] : settings->members()) {
      tool.settings[name] = bound_texts(value);
    }
  }
  std::vector<ToolFile> common;
  if (const auto files = view.find("files")) common = parse_files(*files);
  tool.roles = parse_roles(view, common);
  if (const auto push = view.find("push")) {
    push->allow_only({"writer", "reader"});
    tool.push_roles = parse_roles(*push, common);
  }
  if (const auto done = view.find("done")) tool.done = done->as_one_of({"exit", "converged"});
  if (const auto durable = view.find("durable")) {
    tool.durable = durable->as_one_of({"none", "each", "batch"});
  }
  if (const auto durable = view.find("durable_settings")) {
    for (const auto& [name, value] : durable->members()) {
      if (!tool.settings.contains(name)) value.fail("is no setting of this file");
      tool.durable_settings[name] = value.as_one_of({"none", "each", "batch"});
    }
  }
  if (const auto listing = view.find("listing")) tool.listing = parse_listing(*listing);
  if (const auto counters = view.find("counters")) tool.counters = bound_text(*counters);
  tool.notes = view.string_or("notes", "");
  check_roles(view, tool);
  return tool;
}

ToolSpec load_tool(const std::string& path) {
  const std::string text = read_file(path, kMaximumToolFile);
  ToolSpec tool = parse_tool(Json::parse(text, path), path);
  tool.digest = to_hex(sha256(text));
  return tool;
}

}  // namespace fairwire
