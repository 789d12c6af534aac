#include "reports/table.h"

#include <algorithm>
#include <map>

namespace fairwire {
namespace {

constexpr std::string_view kCeilingControl = "pipe-16";

// Where a control stands among its like; those we do not know come last.
size_t rank_of(std::string_view control) {
  static constexpr std::string_view kOrder[] = {"pipe-1", kCeilingControl, "kernel"};
  return static_cast<size_t>(std::ranges::find(kOrder, control) - std::begin(kOrder));
}

// A control moves bytes that nobody keeps: it has no tree to judge, so it need not be verified,
// but it must have run to its end on a wire within its bounds.
bool counts(const TrialRecord& control) {
  return control.outcome == Outcome::completed && control.verdict != Verdict::different &&
         !control.ops.empty() && control.ops[0].wall_ns > 0 &&
         std::ranges::find(control.flags, Flag::invalid) == control.flags.end();
}

void add_control(ControlRow& row, const TrialRecord& control) {
  if (!counts(control)) {
    ++row.not_counted;
    return;
  }
  const OpRecord& op = control.ops[0];
  const double seconds = static_cast<double>(op.wall_ns) / 1e9;
  row.seconds.push_back(seconds);
  if (op.bytes > 0 && control.variant != "kernel") {
    row.bytes_per_second.push_back(static_cast<double>(op.bytes) / seconds);
  }
}

std::vector<ControlRow> control_rows(const Pool& pool) {
  std::map<std::string, size_t> wires;  // in the order of the cases
  for (const PooledCase& pooled : pool.cases) wires.emplace(pooled.plan.wire, wires.size());
  std::map<std::pair<std::string, std::string>, size_t> indices;
  std::vector<ControlRow> rows;
  for (const PooledTrial& control : pool.controls) {
    const TrialRecord& record = *control.record;
    wires.emplace(record.wire, wires.size());
    const auto [place, is_new] =
        indices.emplace(std::pair(record.wire, record.variant), rows.size());
    if (is_new) rows.push_back({record.wire, record.variant, {}, {}, 0});
    add_control(rows[place->second], record);
  }
  std::ranges::stable_sort(rows, {}, [&](const ControlRow& row) {
    return std::pair(wires.at(row.wire), rank_of(row.control));
  });
  return rows;
}

void keep_lower(std::map<std::string, Ceiling>& ceilings, const std::string& wire,
                const Ceiling& ceiling) {
  const auto [place, is_new] = ceilings.emplace(wire, ceiling);
  if (!is_new && ceiling.bytes_per_second < place->second.bytes_per_second) {
    place->second = ceiling;
  }
}

// Of each wire the smaller of what theory allows and what sixteen streams reached.
std::map<std::string, Ceiling> ceilings_of(const Pool& pool, const std::vector<ControlRow>& rows) {
  std::map<std::string, Ceiling> ceilings;
  for (const ControlRow& row : rows) {
    if (row.control != kCeilingControl || row.bytes_per_second.empty()) continue;
    std::string label = median_label(row.bytes_per_second.size());
    label.resize(std::min(label.size(), label.find(" (")));  // how, in words, is said elsewhere
    keep_lower(ceilings, row.wire, {*median(row.bytes_per_second), row.control + ", " + label});
  }
  for (const CalibrationRecord* calibration : pool.calibrations) {
    const Json* theory = calibration->reading.find("theory_bytes_per_second");
    const auto rate = theory == nullptr ? std::nullopt : theory->if_number();
    if (rate > 0) keep_lower(ceilings, calibration->wire, {*rate, "theory of the wire"});
  }
  return ceilings;
}

std::string names_of(const std::vector<const Cell*>& cells) {
  std::string names;
  for (const Cell* cell : cells) names += (names.empty() ? "" : ", ") + cell->variant;
  return names;
}

// Facts about ranges only. Whether a difference is more than chance takes an interval.
std::string standing_of(const std::vector<Cell>& cells) {
  std::vector<const Cell*> timed;
  for (const Cell& cell : cells) {
    if (cell.state == CellState::verified) timed.push_back(&cell);
  }
  if (timed.empty()) return "No verdict: no variant is verified in every round.";
  const auto least = std::ranges::min(timed, {}, [](const Cell* cell) { return cell->seconds.n; });
  if (least->seconds.n < kRoundsForVerdict) {
    return "No verdict: it takes " + std::to_string(kRoundsForVerdict) + " rounds, and " +
           least->variant + " has " + std::to_string(least->seconds.n) + ".";
  }
  if (timed.size() < 2) return "";
  std::ranges::stable_sort(timed, {}, [](const Cell* cell) { return *cell->seconds.median; });
  std::string overlaps;
  for (size_t i = 0; i < timed.size(); ++i) {
    for (size_t j = i + 1; j < timed.size(); ++j) {
      if (!ranges_overlap(timed[i]->seconds, timed[j]->seconds)) continue;
      overlaps += (overlaps.empty() ? "" : "; ") + timed[i]->variant + " and " + timed[j]->variant;
    }
  }
  if (overlaps.empty()) {
    return "No two ranges of single values overlap. From the lowest times up: " + names_of(timed) +
           ".";
  }
  return "The ranges of single values overlap, so no order is claimed between: " + overlaps + ".";
}

Json conditions_of(const PooledCase& pooled) {
  for (const std::string& variant : pooled.plan.variants) {
    const auto trials = pooled.trials.find(variant);
    if (trials != pooled.trials.end()) return trials->second.front().record->conditions;
  }
  return nullptr;
}

CaseTable make_case(const PooledCase& pooled, const std::map<std::string, Ceiling>& ceilings) {
  CaseTable table;
  table.plan = pooled.plan;
  table.conditions = conditions_of(pooled);
  if (const auto ceiling = ceilings.find(pooled.plan.wire); ceiling != ceilings.end()) {
    table.ceiling = ceiling->second;
  }
  const double limit = table.ceiling ? table.ceiling->bytes_per_second : 0;
  const std::vector<PooledTrial> none;
  for (const std::string& variant : pooled.plan.variants) {
    const auto trials = pooled.trials.find(variant);
    table.cells.push_back(make_cell(pooled.plan, variant,
                                    trials == pooled.trials.end() ? none : trials->second, limit));
  }
  table.standing = standing_of(table.cells);
  return table;
}

}  // namespace

Tables make_tables(const Pool& pool) {
  Tables tables;
  tables.controls = control_rows(pool);
  const auto ceilings = ceilings_of(pool, tables.controls);
  for (const PooledCase& pooled : pool.cases) tables.cases.push_back(make_case(pooled, ceilings));
  return tables;
}

}  // namespace fairwire
