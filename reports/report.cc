#include "reports/report.h"

#include <algorithm>
#include <map>

#include "reports/build.h"
#include "reports/html.h"
#include "reports/markdown.h"
#include "reports/summary.h"
#include "reports/terminal.h"

namespace fairwire {
namespace {

bool is_unmeasured(const TrialRecord& trial) {
  return trial.outcome == Outcome::harness_error || trial.outcome == Outcome::timed_out ||
         std::ranges::find(trial.flags, Flag::invalid) != trial.flags.end() ||
         (trial.outcome == Outcome::completed && trial.verdict == Verdict::unknown);
}

void count_cell(const Cell& cell, Report& report) {
  ++report.planned;
  if (cell.state == CellState::verified) ++report.verified;
  if (cell.state == CellState::unsupported) ++report.unsupported;
  for (const CellTrial& trial : cell.trials) {
    if (trial.record->verdict == Verdict::different) ++report.mismatched;
    if (is_unmeasured(*trial.record)) ++report.not_measured;
  }
}

// The last reading of each pair counts: one before it may have met a busy second.
int64_t wires_out(const Pool& pool) {
  std::map<std::string, std::string> last;
  for (const CalibrationRecord* reading : pool.calibrations) {
    const auto word = [&](const char* key) {
      const Json* value = reading->reading.find(key);
      return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
    };
    const std::string pair = word("one") + '\n' + word("other");
    last[reading->session + '\n' + reading->when + '\n' + reading->wire + '\n' + pair] =
        reading->status;
  }
  return std::ranges::count(last, "out of bounds", [](const auto& entry) { return entry.second; });
}

// Sessions that were stopped because a wire could not be trusted.
int64_t unfit_sessions(const ReportInput& input) {
  int64_t count = 0;
  for (const ResultsFile& run : input.runs) {
    for (const Record& record : run.records) {
      const auto* end = std::get_if<EndRecord>(&record);
      if (end != nullptr && end->status == "unfit") ++count;
    }
  }
  return count;
}

}  // namespace

Report make_report(const ReportInput& input) {
  const Pool pool = pool_runs(input.runs);
  const Tables tables = make_tables(pool, input.threshold_percent);
  const Page page = make_page(input.page, input.page_file, pool);
  const PageInput everything{pool, tables, page};
  const Document document = build_document(everything);
  Report report;
  report.wires_out = wires_out(pool) + unfit_sessions(input);
  for (const CaseTable& table : tables.cases) {
    for (const Cell& cell : table.cells) count_cell(cell, report);
  }
  report.summary = make_summary(everything, report);
  report.html = render_html(document, report.summary);
  report.markdown = render_markdown(document);
  report.terminal = render_terminal(document);
  return report;
}

}  // namespace fairwire
