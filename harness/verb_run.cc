#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.h"
#include "base/log.h"
#include "drivers/interrupt.h"
#include "drivers/sweep.h"
#include "harness/builders.h"
#include "harness/carry_out.h"
#include "harness/data_files.h"
#include "harness/report_run.h"

namespace fairwire {
namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

RunSettings settings_here() {
  RunSettings settings;
  settings.terminal = ::isatty(STDERR_FILENO) == 1;
  settings.tell = [](const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  };
  return settings;
}

void begin() {
  catch_interrupts();
  for (const std::string& swept : sweep_leftovers())
    log_info("swept what a killed run left: " + swept);
}

// The page of the plan that lies beside the records of one run, as it was kept with them.
std::string page_beside(const std::string& results_file) {
  const size_t slash = results_file.rfind('/');
  const std::string file =
      (slash == std::string::npos ? "./" : results_file.substr(0, slash + 1)) + "plan.json";
  if (::access(file.c_str(), R_OK) != 0) return "";
  const Plan plan = load_plan(file);
  return plan.page.empty() ? "" : find_data_file(kPagesRoom, plan.page, file, "/page");
}

ExitCode show(const RunResult& result) {
  fmt::print("{}\nrecords: {}/results.jsonl\nreport:  {}\n", result.table, result.folder,
             result.page);
  return result.code;
}

}  // namespace

std::string results_file_of(const std::string& run) {
  return is_directory(run) ? run + "/results.jsonl" : run;
}

RunResult carry_out(const RunArguments& arguments) {
  const Plan plan = load_plan(find_data_file(kPlansRoom, arguments.plan, "", ""));
  const bool own = arguments.testbed.empty();
  const TestbedSpec testbed =
      load_testbed(find_data_file(kTestbedsRoom, own ? plan.testbed : arguments.testbed,
                                  own ? plan.file : "", own ? "/testbed" : ""));
  begin();
  SystemClock clock;
  RunSettings settings = settings_here();
  settings.runs = arguments.runs;
  const Site site(testbed, plan.seed);
  return run_plan(plan, testbed, site.builders(), clock, settings);
}

ExitCode run_verb(const RunArguments& arguments) {
  return show(carry_out(arguments));
}

ExitCode resume_verb(const std::string& run) {
  for (const char* file : {"results.jsonl", "plan.json", "testbed.json"}) {
    if (::access((run + "/" + file).c_str(), R_OK) == 0) continue;
    throw FormatError(run, "",
                      "is no run folder: it has no " + std::string(file) +
                          "; name the folder below runs/PLAN/ that `fairwire run` printed");
  }
  const Plan plan = load_plan(run + "/plan.json");
  const TestbedSpec testbed = load_testbed(run + "/testbed.json");
  begin();
  SystemClock clock;
  const Site site(testbed, plan.seed);
  return show(resume_run(run, plan, testbed, site.builders(), clock, settings_here()));
}

ExitCode report_verb(const ReportArguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& run : arguments.runs) {
    files.push_back(results_file_of(run));
  }
  std::string out = arguments.out;
  if (out.empty()) {
    const size_t slash = files[0].rfind('/');
    out = (slash == std::string::npos ? "." : files[0].substr(0, slash)) + "/report";
  }
  std::string page = arguments.page;
  if (page.empty() && files.size() == 1) page = page_beside(files[0]);
  const ReportResult result = write_report(files, page, out);
  fmt::print("{}\nreport: {}\n", result.table, result.page);
  return result.code;
}

ExitCode sweep_verb() {
  const std::vector<std::string> swept = sweep_leftovers();
  for (const std::string& line : swept) fmt::print("{}\n", line);
  if (swept.empty()) fmt::print("nothing to sweep\n");
  return ExitCode::good;
}

}  // namespace fairwire
