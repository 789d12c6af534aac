// The report of runs: the records of results.jsonl, the page of the plan, and the exit code that
// they call for.
#pragma once

#include <string>
#include <vector>

#include "harness/exit_code.h"

namespace fairwire {

struct ReportResult {
  ExitCode code = ExitCode::good;
  std::string page;   ///< path of index.html
  std::string table;  ///< for the terminal
};

/// Writes {index.html,report.md,summary.json} of the runs into `folder`. `page` is a page's path,
/// or the name of a shipped one; empty: a page over all cases. The threshold below which two times
/// are the same is that of the plan beside each file; of plans that differ, the largest.
ReportResult write_report(const std::vector<std::string>& results_files, const std::string& page,
                          const std::string& folder);

}  // namespace fairwire
