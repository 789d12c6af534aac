// arrange, chill and clear: who sits where, in which state the trees are at the start, and what
// the texts of tool files mean on each machine.
#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "harness/trial.h"

namespace fairwire {

void Trial::arrange() {
  std::vector<std::string> names = {spec_->writer};
  for (const std::string& reader : spec_->readers) {
    if (std::find(names.begin(), names.end(), reader) == names.end()) names.push_back(reader);
  }
  stage_ = context_.testbed.set(spec_->wire, names, spec_->conditions.network());
  take_seats();
  if (scenario_->needs_dataset) {
    source_ = &context_.shelf.provide(*writer().machine, spec_->dataset);
    record_.dataset_digest = source_->summary.digest;
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
  for (const auto& [name, role] : tool_->roles) {
    if (role.service.empty()) continue;
    const ToolSpec* service = &context_.tools.at(role.service);
    if (std::find(tools.begin(), tools.end(), service) == tools.end()) tools.push_back(service);
  }
  tools.push_back(tool_);
  return tools;
}

void Trial::bind(const ToolSpec& tool) {
  const bool serves = std::any_of(tool.roles.begin(), tool.roles.end(),
                                  [](const auto& role) { return role.second.serve.has_value(); });
  const int port = serves ? writer().machine->free_port() : 0;
  for (Seat& seat : seats_) bind_seat(seat, tool, port);
}

void Trial::bind_seat(Seat& seat, const ToolSpec& tool, int port) {
  const std::string name = seat.machine->info().name;
  Bindings& bindings = seat.bindings[tool.name];
  bindings["self"] = stage_.address(name);
  bindings["writer"] = stage_.address(spec_->writer);
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
  for (const auto& [role_name, role] : tool.roles) {
    if (!role.service.empty()) bindings["service"] = seat.base + "/" + role.service;
  }
  seat.machine->make_directory(bindings["work"]);
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
