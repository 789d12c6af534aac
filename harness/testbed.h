// The live testbed: builds the machines and the wire of each trial and takes them down again.
// Namespace machines are fresh for every trial; local and ssh machines are kept for the session
// and cleared between trials. How each kind is built is handed in, so that a run can be tested
// on fakes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drivers/machine.h"
#include "drivers/wire.h"
#include "drivers/wires/network_conditions.h"
#include "harness/testbed_spec.h"

namespace fairwire {

struct Builders {
  std::function<std::unique_ptr<Machine>(const MachineSpec&)> machine;
  /// The wire between freshly set machines, in the order given. A real wire has no conditions.
  std::function<std::unique_ptr<Wire>(const WireSpec&, const std::vector<Machine*>&,
                                      const NetworkConditions&)>
      wire;
};

/// The machines of one trial on their wire. The wire goes first, then the fresh machines.
struct Stage {
  std::vector<std::unique_ptr<Machine>> fresh;
  std::vector<Machine*> machines;
  std::unique_ptr<Wire> wire;

  Machine& machine(const std::string& name) const;
  /// Where the others reach this machine.
  std::string address(const std::string& name) const;
  /// What it has itself: behind a router that translates another one.
  std::string own_address(const std::string& name) const { return wire->own_address(name); }
};

class Testbed {
 public:
  Testbed(TestbedSpec spec, Builders builders);

  const TestbedSpec& spec() const { return spec_; }
  /// Sets the named machines on the named wire; both must exist in the spec.
  Stage set(const std::string& wire, const std::vector<std::string>& machines,
            const NetworkConditions& conditions);

 private:
  TestbedSpec spec_;
  Builders builders_;
  std::map<std::string, std::unique_ptr<Machine>> kept_;
};

/// True for kinds that are built anew for every trial.
bool is_fresh_kind(const std::string& kind);

}  // namespace fairwire
