#include "harness/runner.h"

#include "harness/context.h"
#include "harness/data_files.h"
#include "harness/report_run.h"
#include "harness/run_dir.h"
#include "harness/session.h"

namespace fairwire {
namespace {

std::string page_of(const Plan& plan) {
  return plan.page.empty() ? "" : find_data_file(kPagesRoom, plan.page, plan.file, "/page");
}

RunResult report_of(const Plan& plan, const RunDir& folder) {
  const ReportResult report =
      write_report({folder.results()}, page_of(plan), folder.report_folder());
  return {report.code, folder.path(), report.page, report.table};
}

RunResult sit(Session& session, const Plan& plan, const RunDir& folder) {
  session.announce();
  session.open();
  const std::string status = session.carry_through();
  session.close(status);
  RunResult result = report_of(plan, folder);
  if (status == "interrupted") result.code = worse(result.code, ExitCode::interrupted);
  return result;
}

}  // namespace

RunResult run_plan(const Plan& plan, const TestbedSpec& testbed, const Builders& builders,
                   Clock& clock, const RunSettings& settings) {
  check_plan(plan, testbed);
  load_tools(plan);  // before there is a folder
  const RunDir folder(settings.runs, plan.name, clock.wall());
  Session session(plan, testbed, builders, clock, settings, folder);
  return sit(session, plan, folder);
}

RunResult resume_run(const std::string& folder, const Plan& plan, const TestbedSpec& testbed,
                     const Builders& builders, Clock& clock, const RunSettings& settings) {
  check_plan(plan, testbed);
  const RunDir run_folder(folder);
  Session session(plan, testbed, builders, clock, settings, run_folder);
  if (session.is_complete()) {
    settings.tell("this run is complete: nothing is left to do but its report\n");
    return report_of(plan, run_folder);
  }
  return sit(session, plan, run_folder);
}

}  // namespace fairwire
