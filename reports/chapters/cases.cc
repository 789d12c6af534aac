#include <algorithm>

#include "base/log.h"
#include "reports/build.h"
#include "reports/chapters/remarks.h"
#include "reports/format.h"

namespace fairwire {
namespace {

struct CaseColumn {
  Measure measure;
  bool numeric;
  int rank;
};

// After the variant. Ranks: what a narrow terminal can do without goes first.
constexpr CaseColumn kColumns[] = {
    {Measure::state, false, 0},    {Measure::median, true, 0},   {Measure::rounds, true, 0},
    {Measure::values, false, 2},   {Measure::needed, true, 2},   {Measure::twice, true, 1},
    {Measure::per_entry, true, 1}, {Measure::prepare, false, 1}, {Measure::wakeups, false, 1},
    {Measure::goodput, true, 1},   {Measure::ceiling, true, 3},  {Measure::stream, true, 3},
    {Measure::files, true, 5},     {Measure::cpu, false, 4},     {Measure::fsyncs, false, 4},
    {Measure::memory, false, 6},   {Measure::wire, false, 7},    {Measure::durability, false, 8},
};

// The axis all variants of a case share.
double axis_end(const CaseTable& table) {
  double end = 0;
  for (const Cell& cell : table.cells) {
    for (const CellTrial& trial : cell.trials) end = std::max(end, trial.seconds.value_or(0));
  }
  return end;
}

TableCell values_cell(const Cell& cell, double end) {
  TableCell text;
  Strip strip{{}, end};
  for (const CellTrial& trial : cell.trials) {
    if (!trial.seconds) continue;
    text.pieces.push_back({value_text(trial), "#" + trial_anchor(trial)});
    strip.marks.push_back({*trial.seconds, trial.counted()});
  }
  if (text.pieces.empty()) return text_cell(std::string(kNone));
  text.strip = std::move(strip);
  return text;
}

std::string flags_text(const Cell& cell) {
  std::string text;
  for (const FlagCount& flag : cell.flags) {
    text += (text.empty() ? "" : ", ") + to_string(flag.flag);
    if (flag.trials > 1) text += " (" + format_count(flag.trials) + ")";
  }
  std::ranges::replace(text, '_', ' ');
  return text;
}

TableCell measure_cell(const Cell& cell, Measure measure, double end) {
  if (measure == Measure::values) return values_cell(cell, end);
  TableCell text;
  if (measure == Measure::state) {
    text.badge = cell.state_text;
    text.tone = tone_of(cell.state);
    text.small = flags_text(cell);
    return text;
  }
  text.lines = measure_lines(cell, measure);
  text.strong = measure == Measure::median;
  if (measure == Measure::goodput) {
    text.small = line_text(cell);
    constexpr std::string_view kTitled = " of line";  // as the column's title says
    if (text.small.ends_with(kTitled)) text.small.resize(text.small.size() - kTitled.size());
  }
  if (measure == Measure::median && cell.seconds.n > 0 && cell.seconds.n < 3) {
    text.small = median_label(cell.seconds.n);
  }
  return text;
}

bool is_index_warm(const CaseTable& table) {
  const Json* index = table.conditions.find("index");
  return index != nullptr && index->if_string() != nullptr && *index->if_string() == "warm";
}

// Columns that say something about some cases only.
bool belongs(const CaseTable& table, Measure measure) {
  const auto any = [&](auto has) { return std::ranges::any_of(table.cells, has); };
  switch (measure) {
    case Measure::files:
      return any([](const Cell& cell) { return cell.files >= 10; });
    case Measure::goodput:
    case Measure::ceiling:
    case Measure::stream:
      return any([](const Cell& cell) { return cell.bytes_per_second.has_value(); });
    case Measure::needed:
      return any([](const Cell& cell) { return cell.needed_bytes.has_value(); });
    case Measure::twice:
      return table.plan.scenario == "resume";
    case Measure::per_entry:
      return table.plan.scenario == "list";
    case Measure::prepare:
      return is_index_warm(table);
    case Measure::wakeups:
      return table.plan.scenario == "idle";
    case Measure::fsyncs:
      return any([](const Cell& cell) {
        return std::ranges::any_of(cell.machines,
                                   [](const MachineCost& cost) { return cost.fsyncs.has_value(); });
      });
    default:
      return true;
  }
}

std::vector<CaseColumn> columns_of(const CaseTable& table) {
  std::vector<CaseColumn> columns;
  for (const CaseColumn& column : kColumns) {
    if (belongs(table, column.measure)) columns.push_back(column);
  }
  return columns;
}

constexpr size_t kComparisonPlace = 4;  // after variant, result, median and n

TextTable case_table(const CaseTable& table, size_t index) {
  TextTable text;
  text.columns.push_back({"Variant", false, 0});
  const std::vector<CaseColumn> columns = columns_of(table);
  for (const CaseColumn& column : columns) {
    text.columns.push_back(
        {std::string(info_of(column.measure).title), column.numeric, column.rank});
  }
  const bool compared = !table.comparisons.empty();
  if (compared) {
    text.columns.insert(text.columns.begin() + kComparisonPlace,
                        {"Time against " + printable(table.cells[0].variant), false, 3});
  }
  const double end = axis_end(table);
  for (size_t i = 0; i < table.cells.size(); ++i) {
    TextTable::Row row{cell_anchor(index, i), {text_cell(printable(table.cells[i].variant))}};
    for (const CaseColumn& column : columns) {
      row.cells.push_back(measure_cell(table.cells[i], column.measure, end));
    }
    if (compared) {
      row.cells.insert(row.cells.begin() + kComparisonPlace, comparison_cell(table, i));
    }
    text.rows.push_back(std::move(row));
  }
  return text;
}

TextTable::Row trial_row(const PageInput& input, const Cell& cell, const CellTrial& trial) {
  const TrialRecord& record = *trial.record;
  TableCell name = text_cell(trial_name(input, trial));
  // Only one run lies beside its own page; the folders of others are somewhere else.
  if (input.pool.runs.size() == 1) {
    std::string number = std::to_string(record.trial);
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    name.link = "../trials/" + number + "/";
  }
  TableCell badge;
  badge.badge = to_string(trial.state);
  badge.tone = tone_of(trial.state);
  return {trial_anchor(trial),
          {name, text_cell(printable(cell.variant)), text_cell(format_count(record.round)),
           text_cell(format_count(record.order)),
           text_cell(format_or_none(trial.seconds, format_seconds)), badge,
           text_cell(printable(record.started)), text_cell(remarks_of(trial))}};
}

Folded trials_of(const PageInput& input, const CaseTable& table) {
  Folded folded;
  folded.table.columns = {{"Trial", false, 0},   {"Variant", false, 0}, {"Round", true, 0},
                          {"Order", true, 0},    {"Time", true, 0},     {"Result", false, 0},
                          {"Started", false, 0}, {"Remarks", false, 0}};
  for (const Cell& cell : table.cells) {
    for (const CellTrial& trial : cell.trials) {
      folded.table.rows.push_back(trial_row(input, cell, trial));
    }
  }
  folded.title = "The " + format_count(static_cast<int64_t>(folded.table.rows.size())) +
                 (folded.table.rows.size() == 1 ? " trial" : " trials") + " behind this table";
  return folded;
}

std::string ceiling_text(const CaseTable& table) {
  if (!table.ceiling) return "The ceiling of this wire was not measured.";
  return "Ceiling of this wire: " + format_mb_per_s(table.ceiling->bytes_per_second) + " (" +
         table.ceiling->basis + ").";
}

// What a rate is, and what it is held against.
std::string rates_text(const CaseTable& table) {
  const auto has_rate = [](const Cell& cell) { return cell.bytes_per_second.has_value(); };
  if (std::ranges::none_of(table.cells, has_rate)) return "";
  std::string text =
      " MB/s is goodput: verified bytes of content by the median time, a file with several names "
      "once, holes at their full size.";
  const Yardsticks& yardsticks = table.yardsticks;
  if (yardsticks.line > 0) {
    text += " The line is the stated rate, " + format_mb_per_s(yardsticks.line) +
            " of whole frames: headers leave 94 % of it for content.";
  }
  if (yardsticks.stream > 0) {
    text += " One raw TCP stream: " + format_mb_per_s(yardsticks.stream) + ".";
  }
  return text;
}

std::string condition_value(const Json& value) {
  if (const bool* flag = value.if_bool()) return *flag ? "yes" : "no";
  const std::string* word = value.if_string();
  return printable(word != nullptr ? *word : value.dump());
}

std::string conditions_text(const Json& conditions) {
  std::string text;
  if (const auto* members = conditions.if_object()) {
    for (const auto& [key, value] : *members) {
      if (value.is_null()) continue;  // the case says nothing about it
      const Json* congestion = conditions.find("congestion");
      if (key == "congestion_locked" && (congestion == nullptr || congestion->is_null())) continue;
      std::string name = printable(key);
      std::ranges::replace(name, '_', ' ');
      text += (text.empty() ? "" : ", ") + name + " " + condition_value(value);
    }
  }
  return text;
}

std::string what_moves(const CaseTable& table) {
  const PlannedCase& plan = table.plan;
  const std::string& dataset = plan.dataset_title.empty() ? plan.dataset : plan.dataset_title;
  const std::string& wire = plan.wire_title.empty() ? plan.wire : plan.wire_title;
  std::string text = "Scenario: " + printable(plan.scenario) + ". Data set: " + printable(dataset) +
                     ". Wire: " + printable(wire) + ". " + format_count(plan.rounds) +
                     (plan.rounds == 1 ? " round" : " rounds") + " planned.";
  const std::string conditions = conditions_text(table.conditions);
  if (!conditions.empty()) text += " Conditions: " + conditions + ".";
  return text + " " + ceiling_text(table) + rates_text(table);
}

}  // namespace

void add_cases(const PageInput& input, Document& document) {
  for (size_t i = 0; i < input.tables.cases.size(); ++i) {
    const CaseTable& table = input.tables.cases[i];
    Section section{case_anchor(i),
                    printable(table.plan.title.empty() ? table.plan.name : table.plan.title),
                    {},
                    2};
    section.blocks.emplace_back(Paragraph{what_moves(table), Tone::muted});
    section.blocks.emplace_back(case_table(table, i));
    if (!table.standing.empty()) {
      section.blocks.emplace_back(Paragraph{printable(table.standing), Tone::plain});
    }
    if (auto sessions = sessions_of(table)) section.blocks.emplace_back(std::move(*sessions));
    for (auto& folded : {costs_of(table), sources_of(table)}) {
      if (folded) section.blocks.emplace_back(std::move(*folded));
    }
    Folded trials = trials_of(input, table);
    if (!trials.table.rows.empty()) section.blocks.emplace_back(std::move(trials));
    document.sections.push_back(std::move(section));
  }
}

}  // namespace fairwire
