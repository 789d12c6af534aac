#include <algorithm>

#include "base/json.h"
#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"

namespace fairwire {
namespace {

constexpr size_t kDifferencesShown = 100;  // a trial; the rest is in its differences.txt

// Trials of one state and reason in a cell are one line, however many rounds met it.
struct Gap {
  CellState state;
  std::string reason;
  std::string trials;
};

std::vector<Gap> gaps_of(const PageInput& input, const Cell& cell) {
  std::vector<Gap> gaps;
  for (const CellTrial& trial : cell.trials) {
    if (trial.state == CellState::verified) continue;
    const auto known = std::ranges::find_if(gaps, [&](const Gap& gap) {
      return gap.state == trial.state && gap.reason == trial.reason;
    });
    if (known != gaps.end()) {
      known->trials += ", " + trial_name(input, trial);
    } else {
      gaps.push_back({trial.state, trial.reason, trial_name(input, trial)});
    }
  }
  const int64_t missing = cell.planned_rounds - static_cast<int64_t>(cell.trials.size());
  if (missing > 0) {
    gaps.push_back({CellState::missing,
                    format_count(missing) + " of " + format_count(cell.planned_rounds) +
                        (cell.planned_rounds == 1 ? " round" : " rounds") + " not recorded",
                    std::string(kNone)});
  }
  return gaps;
}

void add_gap_rows(const PageInput& input, size_t case_index, size_t cell_index, TextTable& table) {
  const CaseTable& planned = input.tables.cases[case_index];
  const Cell& cell = planned.cells[cell_index];
  for (const Gap& gap : gaps_of(input, cell)) {
    TableCell variant = text_cell(printable(cell.variant));
    variant.link = "#" + cell_anchor(case_index, cell_index);
    TableCell badge;
    badge.badge = to_string(gap.state);
    badge.tone = tone_of(gap.state);
    const std::string reason = printable(gap.reason);
    table.rows.push_back(
        {"",
         {text_cell(printable(cell.case_name)), variant, badge,
          text_cell(reason.empty() ? std::string(kNone) : reason), text_cell(gap.trials)}});
  }
}

std::string how_many(size_t count) {
  if (count == kDifferencesShown) return ": the first " + std::to_string(count) + " by name";
  return ": " + std::to_string(count) + (count == 1 ? " difference" : " differences");
}

// Already escaped in the record; one that is not must not reach a terminal either.
std::string shown_name(const std::string& path) {
  return escape_name(unescape_name(path).value_or(path));
}

TextTable difference_table(const TrialRecord& trial) {
  TextTable table;
  table.columns = {{"Machine", false, 0},
                   {"Kind", false, 0},
                   {"Name", false, 0},
                   {"Wanted", false, 0},
                   {"Landed", false, 0}};
  for (const VerdictRecord& verdict : trial.verdicts) {
    for (const DifferenceRecord& difference : verdict.first) {
      if (table.rows.size() == kDifferencesShown) return table;
      table.rows.push_back(
          {"",
           {text_cell(printable(verdict.machine)), text_cell(printable(difference.kind)),
            text_cell(shown_name(difference.path)), text_cell(printable(difference.wanted)),
            text_cell(printable(difference.landed))}});
    }
  }
  return table;
}

}  // namespace

void add_gaps(const PageInput& input, Document& document) {
  TextTable table;
  table.columns = {{"Case", false, 0},
                   {"Variant", false, 0},
                   {"Result", false, 0},
                   {"Reason", false, 0},
                   {"Trials", false, 0}};
  for (size_t i = 0; i < input.tables.cases.size(); ++i) {
    for (size_t j = 0; j < input.tables.cases[i].cells.size(); ++j) {
      add_gap_rows(input, i, j, table);
    }
  }
  Section section{"gaps", "Not in the numbers", {}, 2};
  if (table.rows.empty()) {
    section.blocks.emplace_back(Paragraph{
        "Nothing is missing: every planned trial ran, and its bytes were verified.", Tone::plain});
  } else {
    table.caption =
        "Trials that failed, could not be measured, or never ran. Their times, where there are "
        "any, "
        "stand in brackets in the tables above and are in no statistic.";
    section.blocks.emplace_back(std::move(table));
  }
  document.sections.push_back(std::move(section));
}

void add_differences(const PageInput& input, Document& document) {
  Section section{"differences", "Differences found", {}, 2};
  for (const CaseTable& planned : input.tables.cases) {
    for (const Cell& cell : planned.cells) {
      for (const CellTrial& trial : cell.trials) {
        TextTable table = difference_table(*trial.record);
        if (table.rows.empty()) continue;
        const size_t count = table.rows.size();
        section.blocks.emplace_back(Folded{printable(cell.case_name) + ", " +
                                               printable(cell.variant) + ", " +
                                               trial_name(input, trial) + how_many(count),
                                           std::move(table)});
      }
    }
  }
  if (!section.blocks.empty()) document.sections.push_back(std::move(section));
}

void add_published(const PageInput& input, Document& document) {
  if (input.pool.published.empty()) return;
  TextTable table;
  table.caption =
      "Figures that others published, for comparison by eye: other machines, other wires, not "
      "verified by us, and in no statistic of this page.";
  table.columns = {{"Source", false, 0},
                   {"Case", false, 0},
                   {"Variant", false, 0},
                   {"Measure", false, 0},
                   {"Value", true, 0}};
  for (const PublishedRecord* figure : input.pool.published) {
    table.rows.push_back(
        {"",
         {text_cell(printable(figure->source)), text_cell(printable(figure->case_name)),
          text_cell(printable(figure->variant)), text_cell(printable(figure->measure)),
          text_cell(format_decimal(figure->value) + " " + printable(figure->unit))}});
  }
  document.sections.push_back({"published", "Published elsewhere", {std::move(table)}, 2});
}

}  // namespace fairwire
