// arrange, chill and clear: who sits where, in which state the trees are at the start, and what
// the texts of tool files mean on each machine.
#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "harness/data_files.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumScript = 1 << 20;

}  // namespace

void Trial::arrange() {
  std::vector<std::string> names = {spec_->writer};
  for (const std::string& reader : spec_->readers) {
    if (std::find(names.begin(), names.end(), reader) == names.end()) names.push_back(reader);
  }
  stage_ = context_.testbed.set(spec_->wire, names, spec_->conditions.network());
  take_seats();
  if (scenario_->needs_dataset) {
    source_ = &context_.shelf.provide(*writer().machine, spec_->dataset);
    if (scenario_ == &kUpdate) {
      own_source_ = own_source();
      source_ = &*own_source_;
    }
    record_.dataset_digest = source_->summary.root;
  }
  for (const ToolSpec* tool : tools_in_order()) bind(*tool);
}

void Trial::take_seats() {
  const auto take = [&](const std::string& machine, const std::string& role, size_t index) {
    Seat seat;
    seat.machine = &stage_.machine(machine);
    seat.role = role;
    seat.base = seat.machine->info().work + "/trial/" + role + "-" + std::to_string(index);
    seat.tree = seat.base + "/target/tree";
    seat.machine->remove(seat.base);  // a trial that was killed may have left something
    seat.machine->make_directory(seat.tree);
    seat.machine->make_directory(seat.base + "/home");
    seats_.push_back(std::move(seat));
  };
  take(spec_->writer, "writer", 1);
  for (size_t i = 0; i < spec_->readers.size(); ++i) take(spec_->readers[i], "reader", i + 1);
}

// Services first: a tool's own steps may use them.
std::vector<const ToolSpec*> Trial::tools_in_order() const {
  std::vector<const ToolSpec*> tools;
  for (const auto& [name, role] : roles_of(*tool_)) {
    if (role.service.empty()) continue;
    const ToolSpec* service = &context_.tools.at(role.service);
    if (std::find(tools.begin(), tools.end(), service) == tools.end()) tools.push_back(service);
  }
  tools.push_back(tool_);
  return tools;
}

const std::map<std::string, ToolRole>& Trial::roles_of(const ToolSpec& tool) const {
  return tool.roles_for(record_.scenario);
}

// A service has a serving side, "writer" in its file, and an asking one: it serves where the tool's
// own role names it.
std::string Trial::role_name(const ToolSpec& tool, const Seat& seat) const {
  if (&tool == tool_) return seat.role;
  const auto own = roles_of(*tool_).find(seat.role);
  return own != roles_of(*tool_).end() && own->second.service == tool.name ? "writer" : "reader";
}

const ToolRole* Trial::role_of(const ToolSpec& tool, const Seat& seat) const {
  const auto& roles = roles_of(tool);
  const auto found = roles.find(role_name(tool, seat));
  return found == roles.end() ? nullptr : &found->second;
}

Seat& Trial::server_of(const ToolSpec& tool) {
  for (Seat& seat : seats_) {
    const ToolRole* role = role_of(tool, seat);
    if (role != nullptr && role->serve) return seat;
  }
  return writer();
}

void Trial::bind(const ToolSpec& tool) {
  const auto& roles = roles_of(tool);
  const bool serves = std::any_of(roles.begin(), roles.end(),
                                  [](const auto& role) { return role.second.serve.has_value(); });
  const int port = serves ? server_of(tool).machine->free_port() : 0;
  for (Seat& seat : seats_) bind_seat(seat, tool, port);
}

void Trial::bind_seat(Seat& seat, const ToolSpec& tool, int port) {
  const std::string name = seat.machine->info().name;
  Bindings& bindings = seat.bindings[tool.name];
  bindings["self"] = stage_.address(name);
  // Of a service: where it serves.
  Seat& writing = &tool == tool_ ? writer() : server_of(tool);
  bindings["writer"] = stage_.address(writing.machine->info().name);
  bindings["reader"] = stage_.address(spec_->readers.front());
  bindings["reader_tree"] = readers().front()->tree;
  bindings["tree"] = seat.tree;
  bindings["work"] = seat.base + "/" + tool.name;
  bindings["home"] = seat.base + "/home";
  bindings["seed"] = std::to_string(context_.plan.seed);
  bindings["fairwire"] = seat.machine->info().self;
  bindings["key"] = seat.base + "/key";
  if (port != 0) bindings["port"] = std::to_string(port);
  if (source_ != nullptr) bindings["source"] = source_->path;
  std::string peers;
  for (const Seat& other : seats_) {
    if (&other != &seat)
      peers += (peers.empty() ? "" : ",") + stage_.address(other.machine->info().name);
  }
  bindings["peers"] = peers;
  for (const auto& [name_of_role, role] : roles_of(tool)) {
    if (!role.service.empty()) bindings["service"] = seat.base + "/" + role.service;
  }
  seat.machine->make_directory(bindings["work"]);
}

// The same tree once more, beneath the writer's seat: a seed makes it byte for byte.
SourceTree Trial::own_source() {
  Machine& machine = *writer().machine;
  SourceTree tree = *source_;
  tree.path = writer().base + "/source/tree";
  machine.make_directory(writer().base + "/source");
  context_.shelf.make_copy(machine, spec_->dataset, tree.path);
  return tree;
}

void Trial::mutate_source() {
  if (!going_well()) return;
  Machine& machine = *writer().machine;
  const std::string file = find_data_file(kMutationsRoom, spec_->mutation, context_.plan.file, "");
  new_bytes_ =
      machine.mutate(Json::parse_file(file, kMaximumScript), context_.plan.seed, own_source_->path);
  context_.shelf.describe(machine, *own_source_, context_.folder + "/source.manifest");
  record_.dataset_digest = own_source_->summary.root;
}

void Trial::chill() {
  if (spec_->conditions.cache != "cold" || planned_.control) return;
  std::string why_not;
  for (const Seat& seat : seats_) {
    const std::string reason = seat.machine->drop_caches();
    if (!reason.empty())
      why_not += (why_not.empty() ? "" : "; ") + seat.machine->info().name + ": " + reason;
  }
  record_.conditions.set("cache_not_dropped", why_not.empty() ? Json() : Json(why_not));
}

void Trial::clear() {
  stop_running();
  for (const Seat& seat : seats_) {
    if (!stage_.fresh.empty()) break;  // they vanish with their machines
    seat.machine->remove(seat.base);
    for (const Running& done : finished_) {
      if (done.seat != &seat) continue;
      const std::string log = seat.machine->info().work + "/logs/" + done.name;
      seat.machine->remove(log + ".out");
      seat.machine->remove(log + ".err");
    }
  }
  stage_ = Stage{};
}

}  // namespace fairwire
