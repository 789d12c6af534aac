// A run folder holds what its plan names, so that the run can go on, and be repeated, without the
// files it was begun from: plan, testbed, tools, recipes, mutations and page, as they were used.
#pragma once

#include <string>

#include "harness/context.h"
#include "harness/plan.h"
#include "harness/testbed_spec.h"

namespace fairwire {

/// Copies them into `folder`, in the places where a plan's own files are looked up. Throws
/// FormatError when two different files of one kind have the same name.
void keep_inputs(const Plan& plan, const ToolBox& tools, const TestbedSpec& testbed,
                 const std::string& folder);

}  // namespace fairwire
