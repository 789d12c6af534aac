#include "harness/plan_cost.h"

#include <algorithm>

#include "datasets/spec.h"
#include "harness/context.h"
#include "harness/data_files.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumInput = 4 << 20;

DatasetSpec load_recipe(const std::string& name, const Plan& plan) {
  const std::string file = find_data_file(kSpecsRoom, name, plan.file, "");
  return parse_dataset_spec(Json::parse_file(file, kMaximumInput), file);
}

// A recipe's planned bytes, from the middle of its size tables: for the expected duration only.
int64_t rough_bytes(const DatasetSpec& spec) {
  int64_t bytes = 0;
  for (const FileGroup& group : spec.groups) {
    int64_t sum = 0;
    for (const int64_t size : group.size_quantiles) sum += size;
    if (!group.size_quantiles.empty()) {
      bytes += group.count * (sum / static_cast<int64_t>(group.size_quantiles.size()));
    }
  }
  return bytes;
}

}  // namespace

std::vector<CaseSize> case_sizes(const Plan& plan, const TestbedSpec& testbed) {
  std::vector<CaseSize> sizes;
  for (const CaseSpec& spec : plan.cases) {
    const DatasetSpec recipe = load_recipe(spec.dataset, plan);
    CaseSize size;
    size.bytes = rough_bytes(recipe);
    size.files = recipe.planned_files();
    const WireSpec* wire = testbed.wire(spec.wire);
    for (const AccessSpec& access : wire->access) {
      const int64_t rate = std::max(access.up.bits_per_second, access.down.bits_per_second) / 8;
      if (rate > 0) size.wire_bytes_per_second = rate;
    }
    for (const PathSpec& path : wire->paths)
      size.round_trip = std::max(size.round_trip, 2 * path.delay);
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<PlannedCase> planned_cases(const Plan& plan, const TestbedSpec& testbed) {
  std::vector<PlannedCase> cases;
  for (const CaseSpec& spec : plan.cases) {
    const DatasetSpec recipe = load_recipe(spec.dataset, plan);
    PlannedCase planned{spec.name,
                        spec.title,
                        spec.scenario,
                        recipe.name,
                        recipe.title,
                        spec.wire,
                        testbed.wire(spec.wire)->title,
                        spec.rounds,
                        {}};
    for (const Variant& variant : spec.variants) planned.variants.push_back(variant.name);
    cases.push_back(std::move(planned));
  }
  return cases;
}

PlanCost plan_cost(const Plan& plan, const TestbedSpec& testbed) {
  check_plan(plan, testbed);
  load_tools(plan);
  const std::vector<CaseSize> sizes = case_sizes(plan, testbed);
  const std::vector<PlannedTrial> schedule = make_schedule(plan);
  PlanCost cost;
  cost.trials = static_cast<int64_t>(schedule.size());
  cost.duration = expected_duration(schedule, sizes);
  for (const PlannedTrial& trial : schedule) {
    if (!trial.control) cost.bytes += sizes[trial.case_index].bytes;
  }
  return cost;
}

}  // namespace fairwire
