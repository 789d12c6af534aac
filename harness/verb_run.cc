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

namespace fairwire {
namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
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
  catch_interrupts();
  for (const std::string& swept : sweep_leftovers())
    log_info("swept what a killed run left: " + swept);
  SystemClock clock;
  RunSettings settings;
  settings.runs = arguments.runs;
  settings.terminal = ::isatty(STDERR_FILENO) == 1;
  settings.tell = [](const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  };
  const Site site(testbed, plan.seed);
  return run_plan(plan, testbed, site.builders(), clock, settings);
}

ExitCode run_verb(const RunArguments& arguments) {
  const RunResult result = carry_out(arguments);
  fmt::print("{}\nrecords: {}/results.jsonl\nreport:  {}\n", result.table, result.folder,
             result.page);
  return result.code;
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
  const ReportResult result = write_report(files, arguments.page, out);
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
