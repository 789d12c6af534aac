#include "harness/run_inputs.h"

#include <unistd.h>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "harness/data_files.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumInput = 4 << 20;

void keep(const std::string& room, const std::string& file, const std::string& folder) {
  const std::string into = folder + "/" + room.substr(room.rfind('/') + 1);
  const std::string copy = into + file.substr(file.rfind('/') == file.npos ? 0 : file.rfind('/'));
  const std::string text = read_file(file, kMaximumInput);
  if (::access(copy.c_str(), F_OK) == 0) {
    if (read_file(copy, kMaximumInput) == text) return;
    throw FormatError(file, "", "another file of this name is in the plan; rename one of them");
  }
  make_directories(into);
  write_file(copy, text);
}

}  // namespace

void keep_inputs(const Plan& plan, const ToolBox& tools, const TestbedSpec& testbed,
                 const std::string& folder) {
  write_file(folder + "/plan.json", read_file(plan.file, kMaximumInput));
  write_file(folder + "/testbed.json", read_file(testbed.file, kMaximumInput));
  for (const auto& [name, tool] : tools) keep(kToolsRoom, tool.file, folder);
  for (const CaseSpec& spec : plan.cases) {
    keep(kSpecsRoom, find_data_file(kSpecsRoom, spec.dataset, plan.file, ""), folder);
    if (spec.mutation.empty()) continue;
    keep(kMutationsRoom, find_data_file(kMutationsRoom, spec.mutation, plan.file, ""), folder);
  }
  if (!plan.page.empty()) {
    keep(kPagesRoom, find_data_file(kPagesRoom, plan.page, plan.file, "/page"), folder);
  }
}

}  // namespace fairwire
