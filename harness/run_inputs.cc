#include "harness/run_inputs.h"

#include <unistd.h>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "harness/data_files.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumInput = 64 << 20;

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

std::vector<std::string> traces_of(const TestbedSpec& testbed) {
  std::vector<std::string> files;
  const auto add = [&](const TraceModel& trace) {
    if (!trace.file.empty()) files.push_back(trace.file);
  };
  for (const WireSpec& wire : testbed.wires) {
    for (const AccessSpec& access : wire.access) {
      add(access.up.trace);
      add(access.down.trace);
    }
    for (const PathSpec& path : wire.paths) add(path.trace);
  }
  return files;
}

}  // namespace

void keep_inputs(const Plan& plan, const ToolBox& tools, const TestbedSpec& testbed,
                 const std::string& folder) {
  write_file(folder + "/plan.json", read_file(plan.file, kMaximumInput));
  write_file(folder + "/testbed.json", read_file(testbed.file, kMaximumInput));
  for (const std::string& trace : traces_of(testbed)) keep("traces", trace, folder);
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
