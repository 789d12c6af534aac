#include "reports/build.h"

#include "base/log.h"
#include "reports/format.h"

namespace fairwire {
namespace {

std::string counted(int64_t count, const std::string& one, const std::string& many) {
  return format_count(count) + " " + (count == 1 ? one : many);
}

std::string subtitle_of(const Pool& pool) {
  std::string text;
  for (const PooledRun& run : pool.runs) {
    text += (text.empty() ? "" : ", ") + printable(run.name);
  }
  if (!pool.headers.empty()) {
    text += " · testbed " + printable(pool.headers[0]->testbed_name) + " · fairwire " +
            printable(pool.headers[0]->fairwire_version);
  }
  return text;
}

std::string counts_of(const Tables& tables) {
  int64_t cells = 0;
  int64_t by_state[8] = {};
  int64_t trials = 0;
  for (const CaseTable& table : tables.cases) {
    for (const Cell& cell : table.cells) {
      ++cells;
      ++by_state[static_cast<size_t>(cell.state)];
      trials += static_cast<int64_t>(cell.trials.size());
    }
  }
  if (cells == 0) return "Nothing was planned or recorded.";
  std::string text = counted(cells, "cell", "cells") + ", " + counted(trials, "trial", "trials");
  for (size_t state = 0; state < std::size(by_state); ++state) {
    if (by_state[state] == 0 && state != 0) continue;
    text += (state == 0 ? ": " : ", ") + format_count(by_state[state]) + " " +
            to_string(static_cast<CellState>(state));
  }
  return text + ".";
}

}  // namespace

std::string case_anchor(size_t case_index) {
  return "c" + std::to_string(case_index);
}

std::string cell_anchor(size_t case_index, size_t cell_index) {
  return case_anchor(case_index) + "-" + std::to_string(cell_index);
}

std::string trial_anchor(const CellTrial& trial) {
  return "t" + std::to_string(trial.run) + "-" + std::to_string(trial.record->trial);
}

std::string trial_name(const PageInput& input, const CellTrial& trial) {
  std::string number = std::to_string(trial.record->trial);
  if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
  if (input.pool.runs.size() == 1) return number;
  return "run " + std::to_string(trial.run + 1) + ", " + number;
}

Tone tone_of(CellState state) {
  switch (state) {
    case CellState::verified:
      return Tone::good;
    case CellState::missing:
    case CellState::unsupported:
    case CellState::not_measured:
      return Tone::muted;
    default:
      return Tone::bad;
  }
}

Document build_document(const PageInput& input) {
  Document document;
  document.title = printable(input.page.title);
  document.subtitle = subtitle_of(input.pool);
  for (const std::string& text : input.page.intro) document.intro.push_back(printable(text));
  document.counts = counts_of(input.tables);
  for (const std::string& text : input.pool.warnings) document.warnings.push_back(printable(text));
  add_overview(input, document);
  add_conformance(input, document);
  add_cases(input, document);
  if (input.page.baseline) add_baseline(input, document);
  add_gaps(input, document);
  add_differences(input, document);
  add_published(input, document);
  add_method(input, document);
  add_notes(input, document);
  add_tools(input, document);
  add_hosts(input, document);
  if (!input.page.baseline) add_baseline(input, document);
  add_repeat(input, document);
  return document;
}

}  // namespace fairwire
