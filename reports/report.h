// From records to a page: pure over the results.jsonl of one or more runs. Writes index.html,
// report.md and summary.json, and the table for the terminal. Never changes a record.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "reports/results_file.h"

namespace fairwire {

struct ReportInput {
  std::vector<ResultsFile> runs;  ///< of one plan; several pool
  Json page;                      ///< a page description; null: the default page over all cases
  std::string page_file;          ///< for messages
  double threshold_percent = 5;   ///< below it two times are "same": docs/method.md
};

struct Report {
  std::string html;  ///< self-contained, no network
  std::string markdown;
  Json summary;
  std::string terminal;    ///< plain text table, names escaped
  int64_t planned = 0;     ///< cells of the plan (case × variant, controls apart)
  int64_t verified = 0;    ///< cells in which every recorded trial is verified
  int64_t mismatched = 0;  ///< trials with verdict different, whatever their outcome
  /// Trials with harness_error, timed_out or flag invalid, and completed ones nobody judged.
  int64_t not_measured = 0;
  int64_t unsupported = 0;  ///< cells
  /// Wires whose last reading, before or after, was out of their bounds, and sessions stopped for
  /// such a wire.
  int64_t wires_out = 0;
};

Report make_report(const ReportInput& input);

}  // namespace fairwire
