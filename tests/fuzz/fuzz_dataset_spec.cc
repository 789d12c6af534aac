// A recipe or a mutation script that is accepted stays within its bounds and names paths beneath a
// root.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "datasets/generate.h"
#include "datasets/mutate.h"
#include "datasets/path.h"
#include "datasets/spec.h"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void check_recipe(const fairwire::Json& json) {
  const fairwire::DatasetSpec spec = fairwire::parse_dataset_spec(json, "f");
  require(spec.planned_files() <= 4'000'000);
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const fairwire::FileGroup& group = spec.groups[g];
    for (const int64_t index : {int64_t{0}, group.count / 2, group.count - 1}) {
      require(fairwire::path_fault(fairwire::group_path(group, index)).empty());
      const int64_t size = fairwire::drawn_size(group, g, 1, index);
      require(size >= group.size_quantiles.front() && size <= group.size_quantiles.back());
    }
  }
  for (const fairwire::SpecialEntry& entry : spec.entries) {
    require(fairwire::path_fault(entry.path).empty());
  }
}

void check_script(const fairwire::Json& json) {
  for (const fairwire::Mutation& step : fairwire::parse_mutation_script(json, "f").steps) {
    require(fairwire::path_fault(step.path).empty());
    require(step.to.empty() || fairwire::path_fault(step.to).empty());
  }
}

template <typename Check>
void accept_or_refuse(const fairwire::Json& json, const Check& check) {
  try {
    check(json);
  } catch (const fairwire::FormatError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto json =
        fairwire::Json::parse(std::string_view(reinterpret_cast<const char*>(data), size), "f");
    accept_or_refuse(json, check_recipe);
    accept_or_refuse(json, check_script);
  } catch (const fairwire::FormatError&) {
  }
  return 0;
}
