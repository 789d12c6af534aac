#include "harness/report_run.h"

#include <unistd.h>

#include <algorithm>

#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "harness/data_files.h"
#include "harness/plan.h"
#include "reports/report.h"
#include "reports/results_file.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumPage = 4 << 20;

ExitCode code_of(const Report& report) {
  ExitCode code = ExitCode::good;
  if (report.mismatched > 0) code = worse(code, ExitCode::mismatch);
  if (report.not_measured > 0 || report.wires_out > 0) code = worse(code, ExitCode::not_measured);
  return code;
}

// Of the plans that lie beside the records; without any the method's own.
double threshold_of(const std::vector<std::string>& results_files) {
  double threshold = 0;
  for (const std::string& file : results_files) {
    const size_t slash = file.rfind('/');
    const std::string plan =
        (slash == std::string::npos ? "" : file.substr(0, slash + 1)) + "plan.json";
    if (::access(plan.c_str(), R_OK) != 0) continue;
    threshold = std::max(threshold, static_cast<double>(load_plan(plan).threshold_percent));
  }
  return threshold > 0 ? threshold : ReportInput().threshold_percent;
}

}  // namespace

ReportResult write_report(const std::vector<std::string>& results_files, const std::string& page,
                          const std::string& folder) {
  ReportInput input;
  for (const std::string& file : results_files) input.runs.push_back(read_results(file));
  input.threshold_percent = threshold_of(results_files);
  if (!page.empty()) {
    input.page_file = find_data_file(kPagesRoom, page, "", "");
    input.page = Json::parse_file(input.page_file, kMaximumPage);
  }
  const Report report = make_report(input);
  make_directories(folder);
  write_file(folder + "/index.html", report.html);
  write_file(folder + "/report.md", report.markdown);
  write_file(folder + "/summary.json", report.summary.dump_pretty());
  return {code_of(report), folder + "/index.html", report.terminal};
}

}  // namespace fairwire
