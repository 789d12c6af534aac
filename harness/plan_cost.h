// What a plan amounts to before anything runs: sizes, a rough duration, and its cases as the record
// keeps them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "harness/plan.h"
#include "harness/schedule.h"
#include "harness/testbed_spec.h"
#include "reports/record.h"

namespace fairwire {

/// From sizes and wires: no promise, an order of magnitude.
struct PlanCost {
  int64_t trials = 0;
  int64_t bytes = 0;  ///< of payload, all trials together
  Nanoseconds duration{};
};

/// Throws FormatError when plan, tools and testbed do not fit.
PlanCost plan_cost(const Plan& plan, const TestbedSpec& testbed);

/// Of each case of the plan, in its order. Throws FormatError for a bad recipe.
std::vector<CaseSize> case_sizes(const Plan& plan, const TestbedSpec& testbed);
std::vector<PlannedCase> planned_cases(const Plan& plan, const TestbedSpec& testbed);

}  // namespace fairwire
