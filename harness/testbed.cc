#include "harness/testbed.h"

#include <cassert>

#include "base/error.h"

namespace fairwire {

bool is_fresh_kind(const std::string& kind) {
  return kind == "netns";
}

Machine& Stage::machine(const std::string& name) const {
  for (Machine* machine : machines) {
    if (machine->info().name == name) return *machine;
  }
  throw ProtocolError("no machine \"" + name + "\" on this stage");
}

std::string Stage::address(const std::string& name) const {
  for (const auto& [machine, address] : wire->addresses()) {
    if (machine == name) return address;
  }
  return {};
}

Testbed::Testbed(TestbedSpec spec, Builders builders)
    : spec_(std::move(spec)), builders_(std::move(builders)) {}

Stage Testbed::set(const std::string& wire, const std::vector<std::string>& machines,
                   const NetworkConditions& conditions) {
  const WireSpec* wire_spec = spec_.wire(wire);
  assert(wire_spec != nullptr);
  Stage stage;
  for (const std::string& name : machines) {
    const MachineSpec* spec = spec_.machine(name);
    assert(spec != nullptr);
    if (is_fresh_kind(spec->kind)) {
      stage.fresh.push_back(builders_.machine(*spec));
      stage.machines.push_back(stage.fresh.back().get());
      continue;
    }
    std::unique_ptr<Machine>& kept = kept_[name];
    if (!kept) kept = builders_.machine(*spec);
    stage.machines.push_back(kept.get());
  }
  stage.wire = builders_.wire(*wire_spec, stage.machines, conditions);
  return stage;
}

}  // namespace fairwire
