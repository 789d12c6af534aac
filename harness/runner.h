// A run: the schedule carried out, each trial recorded before the next one begins. One bad trial
// neither ends the campaign nor disappears.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "harness/exit_code.h"
#include "harness/plan.h"
#include "harness/testbed.h"
#include "harness/testbed_spec.h"

namespace fairwire {

struct RunSettings {
  std::string runs = "runs";                     ///< folder that holds run folders
  bool terminal = false;                         ///< progress as a bar
  std::function<void(const std::string&)> tell;  ///< text for the user, as it happens
};

/// What a plan would cost, from sizes and wires: no promise, an order of magnitude.
struct PlanCost {
  int64_t trials = 0;
  int64_t bytes = 0;  ///< of payload, all trials together
  Nanoseconds duration{};
};
/// Throws FormatError when plan, tools and testbed do not fit.
PlanCost plan_cost(const Plan& plan, const TestbedSpec& testbed);

struct RunResult {
  ExitCode code = ExitCode::good;
  std::string folder;
  std::string page;   ///< path of report/index.html
  std::string table;  ///< for the terminal
};

/// Throws FormatError before anything is touched when plan, tools and testbed do not fit. Ctrl-C
/// ends the run early with everything so far recorded and the report written.
RunResult run_plan(const Plan& plan, const TestbedSpec& testbed, const Builders& builders,
                   Clock& clock, const RunSettings& settings);

/// Writes report/{index.html,report.md,summary.json} of the runs into `folder`; the exit code
/// that the records call for.
struct ReportResult {
  ExitCode code = ExitCode::good;
  std::string page;
  std::string table;
};
ReportResult write_report(const std::vector<std::string>& results_files, const std::string& page,
                          const std::string& folder);

}  // namespace fairwire
