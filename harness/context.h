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

struct Context {
  Json json;                                   ///< header.context: docs/results.md
  std::map<std::string, std::string> missing;  ///< tool, or TOOL@BUILD → why it cannot run here
  std::map<std::string, std::string> unfit;    ///< case → why its conditions cannot be had here
};

/// Sets a stage on every wire of the plan once, under each case's conditions, and asks the machines
/// of the first. Throws what setting a wire without conditions throws.
Context gather_context(const Plan& plan, const ToolBox& tools, Testbed& testbed);

/// Checks names across files: cases against the testbed's machines and wires, data sets against
/// recipes. Throws FormatError{plan file, pointer}.
void check_plan(const Plan& plan, const TestbedSpec& testbed);

}  // namespace fairwire
