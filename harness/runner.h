// A run, from the plan to its page; and the same run again, after it was cut short.
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

/// Goes on with the run in `folder`, whose plan.json and testbed.json these are: what has a record
/// is not run again. Of a complete run only the report is written anew. Throws FormatError, with
/// nothing recorded, where it must not go on (harness/earlier.h).
RunResult resume_run(const std::string& folder, const Plan& plan, const TestbedSpec& testbed,
                     const Builders& builders, Clock& clock, const RunSettings& settings);

}  // namespace fairwire
