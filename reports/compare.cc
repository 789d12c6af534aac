#include "reports/compare.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "reports/document.h"
#include "reports/format.h"
#include "reports/table.h"
#include "reports/terminal.h"

namespace fairwire {
namespace {

const Cell* find_cell(const CaseTable& table, const std::string& variant) {
  const auto found = std::ranges::find(table.cells, variant, &Cell::variant);
  return found == table.cells.end() ? nullptr : &*found;
}

int64_t mismatches_in(const Cell& cell) {
  return std::ranges::count_if(
      cell.trials, [](const CellTrial& trial) { return trial.state == CellState::mismatch; });
}

// The pair that is asked for is one of them when it is an A/A pair itself: a host that tells these
// two apart must not call either slower.
void add_same_pairs(const Pool& pool, const CaseTable& table, const CompareOptions& options,
                    CompareReport& report) {
  for (const VariantPair& pair : options.same_pairs) {
    const Cell* one = find_cell(table, pair.baseline);
    const Cell* other = find_cell(table, pair.variant);
    if (one == nullptr || other == nullptr) continue;
    report.same_pairs.push_back(compare_paired(pool, *one, *other, options.threshold_percent));
  }
}

bool is_settled(Finding finding) {
  return finding == Finding::faster || finding == Finding::slower;
}

TableCell side_cell(const Summary& summary) {
  TableCell cell = text_cell(format_or_none(summary.median, format_seconds));
  cell.small = "n = " + format_count(static_cast<int64_t>(summary.n));
  return cell;
}

std::string visible_text(const Comparison& comparison) {
  const auto visible = comparison.decision.smallest_visible;
  return visible ? "+" + format_share(*visible - 1) : std::string(kNone);
}

TextTable::Row line_of(const Comparison& comparison) {
  std::string names = printable(comparison.variant);
  if (comparison.baseline != comparison.variant) {
    names += " against " + printable(comparison.baseline);
  }
  std::string left_out;
  if (comparison.contaminated > 0) {
    left_out += format_count(comparison.contaminated) + " contaminated";
  }
  if (comparison.incomplete > 0) {
    left_out +=
        (left_out.empty() ? "" : ", ") + format_count(comparison.incomplete) + " not counted";
  }
  if (left_out.empty()) left_out = kNone;
  return {
      "",
      {text_cell(printable(comparison.case_name)), text_cell(names),
       side_cell(comparison.baseline_seconds), side_cell(comparison.variant_seconds),
       text_cell(ratio_text(comparison.decision)), text_cell(interval_text(comparison.decision)),
       text_cell(printable(verdict_text(comparison))), text_cell(visible_text(comparison)),
       text_cell(left_out)}};
}

TextTable table_of(const std::vector<Comparison>& lines) {
  TextTable table;
  table.columns = {{"Case", false, 0},    {"Variant", false, 0},
                   {"Before", true, 0},   {"After", true, 0},
                   {"Ratio", true, 0},    {"95 % interval", false, 0},
                   {"Verdict", false, 0}, {"Smallest visible", true, 1},
                   {"Left out", false, 2}};
  for (const Comparison& line : lines) table.rows.push_back(line_of(line));
  return table;
}

std::string percent_text(double percent) {
  const auto whole = static_cast<int64_t>(percent);
  const bool is_whole = static_cast<double>(whole) == percent;
  return (is_whole ? format_count(whole) : format_decimal(percent)) + " %";
}

std::string how_text(const std::vector<Comparison>& lines) {
  if (lines.empty()) return "Nothing to compare: no case has both sides.";
  const std::string threshold = percent_text(lines[0].threshold_percent);
  if (lines[0].paired) {
    return "Paired, round by round; threshold " + threshold + "; the ratio is time after / before.";
  }
  return "Two runs that share no round: a drift between them cannot be told from a difference. "
         "Threshold " +
         threshold + "; the ratio is time after / before.";
}

}  // namespace

bool CompareReport::has(Finding finding) const {
  return std::ranges::any_of(
      lines, [&](const Comparison& line) { return line.decision.finding == finding; });
}

bool CompareReport::is_unfit() const {
  return lines.empty() || has(Finding::not_measured) || has(Finding::not_comparable) ||
         std::ranges::any_of(
             same_pairs, [](const Comparison& pair) { return is_settled(pair.decision.finding); });
}

CompareReport compare_runs(const std::vector<ResultsFile>& before,
                           const std::vector<ResultsFile>& after, double threshold_percent) {
  const Pool before_pool = pool_runs(before);
  const Pool after_pool = pool_runs(after);
  const Tables before_tables = make_tables(before_pool, threshold_percent);
  const Tables after_tables = make_tables(after_pool, threshold_percent);
  CompareReport report;
  std::set<std::pair<std::string, std::string>> met;
  for (const CaseTable& table : after_tables.cases) {
    const auto old = std::ranges::find(before_tables.cases, table.plan.name,
                                       [](const CaseTable& other) { return other.plan.name; });
    for (const Cell& cell : table.cells) {
      const Cell* other =
          old == before_tables.cases.end() ? nullptr : find_cell(*old, cell.variant);
      if (other == nullptr) {
        report.warnings.push_back(table.plan.name + ", " + cell.variant + ": only in AFTER");
        continue;
      }
      met.insert({table.plan.name, cell.variant});
      if (cell.state == CellState::unsupported && other->state == CellState::unsupported) continue;
      report.mismatched += mismatches_in(cell) + mismatches_in(*other);
      report.lines.push_back(
          compare_unpaired(before_pool, *other, after_pool, cell, threshold_percent));
    }
  }
  for (const CaseTable& table : before_tables.cases) {
    for (const Cell& cell : table.cells) {
      if (met.contains({table.plan.name, cell.variant})) continue;
      report.warnings.push_back(table.plan.name + ", " + cell.variant + ": only in BEFORE");
    }
  }
  return report;
}

CompareReport compare_variants(const std::vector<ResultsFile>& runs, const VariantPair& pair,
                               const CompareOptions& options) {
  const Pool pool = pool_runs(runs);
  const Tables tables = make_tables(pool, options.threshold_percent);
  CompareReport report;
  report.warnings = pool.warnings;
  for (const CaseTable& table : tables.cases) {
    VariantPair names = pair;
    if (names.baseline.empty() && !table.cells.empty()) names.baseline = table.cells[0].variant;
    if (names.variant.empty() && table.cells.size() > 1) names.variant = table.cells[1].variant;
    const Cell* baseline = find_cell(table, names.baseline);
    const Cell* variant = find_cell(table, names.variant);
    if (baseline == nullptr || variant == nullptr || baseline == variant) {
      report.warnings.push_back(table.plan.name + ": does not have both variants; left out");
      continue;
    }
    report.mismatched += mismatches_in(*baseline) + mismatches_in(*variant);
    report.lines.push_back(compare_paired(pool, *baseline, *variant, options.threshold_percent));
    add_same_pairs(pool, table, options, report);
  }
  return report;
}

bool has_flagged(const CompareReport& report) {
  return std::ranges::any_of(report.lines,
                             [](const Comparison& line) { return line.decision.is_flagged; });
}

CompareReport confirmed(const CompareReport& first, const CompareReport& fresh,
                        const CompareReport& both) {
  CompareReport report = both;
  for (size_t i = 0; i < report.lines.size(); ++i) {
    Comparison& line = report.lines[i];
    const Comparison& alone = fresh.lines[i];
    if (!first.lines[i].decision.is_flagged) {
      line = first.lines[i];
    } else if (is_confirmed(alone.decision, line.decision, line.threshold_percent)) {
      line.decision.finding = Finding::slower;
      line.reason = "flagged, and confirmed by a fresh batch (" + ratio_text(alone.decision) + ")";
    } else {
      line.decision.finding = Finding::inconclusive;
      line.reason =
          "flagged, and not confirmed by a fresh batch (" +
          (alone.decision.ratio ? ratio_text(alone.decision) : to_string(alone.decision.finding)) +
          ")";
    }
  }
  return report;
}

std::string render_compare(const CompareReport& report) {
  constexpr size_t kWidth = 400;  // one line a cell: no column gives way to a narrow terminal
  std::string text;
  for (const std::string& warning : report.warnings) {
    text += "Warning: " + printable(warning) + "\n";
  }
  if (!report.lines.empty()) text += render_table(table_of(report.lines), kWidth);
  text += how_text(report.lines) + "\n";
  if (report.same_pairs.empty()) return text;
  text += "\nThe same program under two names, in the same rounds:\n" +
          render_table(table_of(report.same_pairs), kWidth);
  const bool differs = std::ranges::any_of(
      report.same_pairs, [](const Comparison& pair) { return is_settled(pair.decision.finding); });
  if (differs) text += "This host calls one program different from itself: nothing here counts.\n";
  return text;
}

}  // namespace fairwire
