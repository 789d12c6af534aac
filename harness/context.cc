#include "harness/context.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "harness/data_files.h"
#include "harness/exit_code.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kVersionDeadline = std::chrono::seconds(20);
constexpr int64_t kVersionOutput = 64 << 10;

const ToolSpec& load_into(ToolBox& tools, const std::string& name, const std::string& file,
                          const std::string& pointer) {
  if (const auto found = tools.find(name); found != tools.end()) return found->second;
  ToolSpec tool = load_tool(find_data_file(kToolsRoom, name, file, pointer));
  const std::string key = name;
  return tools.emplace(key, std::move(tool)).first->second;
}

void load_services(ToolBox& tools, const ToolSpec& tool) {
  std::vector<std::string> services;
  for (const auto* roles : {&tool.roles, &tool.push_roles}) {
    for (const auto& [role_name, role] : *roles) {
      if (!role.service.empty()) services.push_back(role.service);
    }
  }
  for (const std::string& name : services) {
    const ToolSpec& service = load_into(tools, name, tool.file, "/writer/service");
    if (!service.is_service()) {
      throw FormatError(tool.file, "/writer/service", "\"" + name + "\" has scenarios: no service");
    }
  }
}

// Bindings that mean something outside of a trial: enough for version commands.
Bindings outside_bindings(const Machine& machine) {
  return {{"fairwire", machine.info().self}, {"work", machine.info().work}};
}

// A tool as one build of the plan runs it; an empty build is what PATH finds.
struct Built {
  const ToolSpec& tool;
  std::string build;
  const Json* programs = nullptr;  // program → path, of the build

  std::string name() const { return build.empty() ? tool.name : tool.name + "@" + build; }
  std::string program(const std::string& name) const {
    const Json* path = programs == nullptr ? nullptr : programs->find(name);
    return path == nullptr ? name : *path->if_string();
  }
};

std::vector<Built> builds_of(const ToolSpec& tool, const Plan& plan) {
  std::set<std::string> names;
  for (const CaseSpec& spec : plan.cases) {
    for (const Variant& variant : spec.variants) {
      if (variant.tool == tool.name) names.insert(variant.build);
    }
  }
  if (names.empty()) names.insert("");  // a service or a control
  std::vector<Built> list;
  for (const std::string& name : names) list.push_back({tool, name, plan.builds.find(name)});
  return list;
}

Json binaries_of(const Built& built, const std::vector<Machine*>& machines, std::string& missing) {
  const ToolSpec& tool = built.tool;
  Json list = Json::array();
  for (Machine* machine : machines) {
    for (const std::string& binary : tool.binaries) {
      const std::string name = built.program(expand(binary, outside_bindings(*machine), tool.file));
      const Json found = machine->resolve_program(name);
      if (found.is_null()) {
        if (missing.empty()) {
          missing = name + " is not installed on the machine " + machine->info().name;
        }
        continue;
      }
      Json entry = Json::object({{"machine", machine->info().name}});
      for (const auto& [key, value] : *found.if_object()) entry.set(key, value);
      list.push(std::move(entry));
    }
  }
  return list;
}

Json version_of(const Built& built, Machine& machine, std::string& missing) {
  const ToolSpec& tool = built.tool;
  ExecSpec exec;
  exec.name = "version-" + tool.name;
  exec.argv = expand_argv(tool.version_argv, outside_bindings(machine), {}, tool.file);
  exec.argv[0] = built.program(exec.argv[0]);
  exec.deadline = kVersionDeadline;
  const auto report = machine.wait(machine.start(exec), kVersionDeadline + std::chrono::seconds(5));
  if (!report || report->end == ExecEnd::not_started) {
    if (missing.empty()) missing = exec.argv[0] + " cannot be started on " + machine.info().name;
    return {};
  }
  std::string output;
  for (const char* ending : {".out", ".err"}) {
    output += machine.get(machine.info().work + "/logs/" + exec.name + ending, kVersionOutput)
                  .value_or("");
  }
  const auto version = tool.find_version(output);
  return version ? Json(escape_name(*version)) : Json();
}

Json tool_context(const Built& built, const std::vector<Machine*>& machines, std::string& missing) {
  const ToolSpec& tool = built.tool;
  const Json binaries = binaries_of(built, machines, missing);
  const Json version = missing.empty() ? version_of(built, *machines.back(), missing) : Json();
  return Json::object({{"name", built.name()},
                       {"title", tool.title},
                       {"version", version},
                       {"file_digest", tool.digest},
                       {"binaries", binaries},
                       {"durable", tool.durable},
                       {"notes", tool.notes},
                       {"error", missing.empty() ? Json() : Json(missing)}});
}

std::vector<std::string> all_machines(const TestbedSpec& testbed) {
  std::vector<std::string> names;
  for (const MachineSpec& machine : testbed.machines) names.push_back(machine.name);
  return names;
}

void ask_machines(const Plan& plan, const Stage& stage, const ToolBox& tools, Context& context) {
  Json machines = Json::array();
  for (Machine* machine : stage.machines) {
    machines.push(Json::object({{"name", machine->info().name},
                                {"kind", machine->info().kind},
                                {"host", machine->info().host}}));
  }
  Json tool_list = Json::array();
  for (const auto& [name, tool] : tools) {
    for (const Built& built : builds_of(tool, plan)) {
      std::string missing;
      tool_list.push(tool_context(built, stage.machines, missing));
      if (!missing.empty()) context.missing[built.name()] = missing;
    }
  }
  for (const auto& [name, tool] : tools) {  // without its service a tool cannot run either
    for (const auto& [role_name, role] : tool.roles) {
      const auto service = context.missing.find(role.service);
      if (service != context.missing.end()) context.missing.emplace(name, service->second);
    }
  }
  context.json = Json::object({{"machines", machines}, {"tools", tool_list}});
}

bool is_plain(const NetworkConditions& conditions) {
  return conditions.buffers == Buffers::as_host && conditions.congestion_control.empty();
}

std::string why_not_set(const CaseSpec& spec, const TestbedSpec& testbed) {
  if (testbed.wire(spec.wire)->kind != "real" || is_plain(spec.conditions.network())) return {};
  return "the wire \"" + spec.wire +
         "\" is real: its hosts keep their own socket buffers and congestion control";
}

void require(bool good, const Plan& plan, const std::string& pointer, const std::string& reason) {
  if (!good) throw FormatError(plan.file, pointer, reason);
}

}  // namespace

ToolBox load_tools(const Plan& plan) {
  ToolBox tools;
  const auto load_controls = [&](const std::vector<std::string>& names, const std::string& place) {
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string pointer = place + "/controls/" + std::to_string(i);
      const ToolSpec& tool = load_into(tools, names[i], plan.file, pointer);
      require(tool.can_do("control"), plan, pointer, tool.name + " is no control");
    }
  };
  load_controls(plan.controls, "");
  for (size_t c = 0; c < plan.cases.size(); ++c) {
    load_controls(plan.cases[c].controls, "/cases/" + std::to_string(c));
    for (const Variant& variant : plan.cases[c].variants) {
      const std::string pointer = "/cases/" + std::to_string(c);
      const ToolSpec& tool = load_into(tools, variant.tool, plan.file, pointer);
      for (const std::string& setting : variant.settings) {
        require(tool.settings.contains(setting), plan, pointer,
                "\"" + variant.name + "\": " + tool.name + " has no setting \"" + setting + "\"");
      }
      load_services(tools, ToolSpec(tool));
    }
  }
  return tools;
}

Context gather_context(const Plan& plan, const ToolBox& tools, Testbed& testbed) {
  Context context;
  Json wires = Json::array();
  std::map<std::string, std::string> tried;  // wire and conditions → why not, or empty
  for (const CaseSpec& spec : plan.cases) {
    const Json wanted = to_json(spec.conditions.network());
    const auto [entry, is_new] = tried.emplace(spec.wire + wanted.dump(), "");
    if (is_new) {
      try {
        const Stage stage =
            testbed.set(spec.wire, all_machines(testbed.spec()), spec.conditions.network());
        wires.push(Json::object(
            {{"name", spec.wire}, {"wanted", wanted}, {"conditions", stage.wire->conditions()}}));
        if (context.json.is_null()) ask_machines(plan, stage, tools, context);
      } catch (const ProtocolError& error) {
        if (is_plain(spec.conditions.network())) throw;
        entry->second = error.what();
      }
      if (entry->second.empty()) entry->second = why_not_set(spec, testbed.spec());
    }
    if (!entry->second.empty()) context.unfit[spec.name] = entry->second;
  }
  if (context.json.is_null()) throw UnfitError(context.unfit.begin()->second);
  context.json.set("wires", wires);
  return context;
}

void check_plan(const Plan& plan, const TestbedSpec& testbed) {
  if (!plan.page.empty()) find_data_file(kPagesRoom, plan.page, plan.file, "/page");
  for (size_t i = 0; i < plan.cases.size(); ++i) {
    const CaseSpec& spec = plan.cases[i];
    const std::string pointer = "/cases/" + std::to_string(i);
    require(testbed.wire(spec.wire) != nullptr, plan, pointer + "/wire",
            "the testbed " + testbed.name + " has no wire \"" + spec.wire + "\"");
    std::vector<std::string> names = spec.readers;
    names.push_back(spec.writer);
    for (const std::string& name : names) {
      require(testbed.machine(name) != nullptr, plan, pointer + "/roles",
              "the testbed " + testbed.name + " has no machine \"" + name + "\"");
    }
    for (size_t e = 0; e < spec.events.size(); ++e) {
      const CaseEvent& event = spec.events[e];
      for (const std::string& name : {event.machine, event.change.from, event.change.to}) {
        require(name.empty() || testbed.machine(name) != nullptr, plan,
                pointer + "/events/" + std::to_string(e),
                "the testbed " + testbed.name + " has no machine \"" + name + "\"");
      }
    }
    find_data_file(kSpecsRoom, spec.dataset, plan.file, pointer + "/dataset");
    if (!spec.mutation.empty()) {
      find_data_file(kMutationsRoom, spec.mutation, plan.file, pointer + "/mutation");
    }
  }
}

}  // namespace fairwire
