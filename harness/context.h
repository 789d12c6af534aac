// What the record must say of the world before the first trial: the hosts, and every tool's
// version, file digest and binaries on every machine that runs it. A tool that is not there is
// found here, and its cells say so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "harness/plan.h"
#include "harness/testbed.h"
#include "harness/trial.h"

namespace fairwire {

/// Loads every tool, control and service that the plan names. Throws FormatError: unknown names
/// (with the place in the plan), unknown settings, services that are no services.
ToolBox load_tools(const Plan& plan);

/// The wires of a plan's cases, in their order, each once.
std::vector<std::string> distinct_wires(const Plan& plan);

struct Context {
  Json json;                                   ///< header.context: docs/results.md
  std::map<std::string, std::string> missing;  ///< tool → why it cannot run here
};

/// Sets a stage on every wire of the plan once, and asks the machines of the first.
Context gather_context(const Plan& plan, const ToolBox& tools, Testbed& testbed);

/// Checks names across files: cases against the testbed's machines and wires, data sets against
/// recipes. Throws FormatError{plan file, pointer}.
void check_plan(const Plan& plan, const TestbedSpec& testbed);

}  // namespace fairwire
