#include "reports/table.h"

#include <algorithm>
#include <map>

namespace fairwire {
namespace {

void keep_higher(std::map<std::string, Ceiling>& ceilings, const std::string& wire,
                 const Ceiling& ceiling) {
  const auto [place, is_new] = ceilings.emplace(wire, ceiling);
  if (!is_new && ceiling.bytes_per_second > place->second.bytes_per_second) {
    place->second = ceiling;
  }
}

std::optional<double> figure(const CalibrationRecord& calibration, std::string_view key) {
  const Json* value = calibration.reading.find(key);
  return value == nullptr ? std::nullopt : value->if_number();
}

// What raw TCP reached on each wire: pipe-16 of the rounds; on a wire with a stated rate also the
// calibration, since a control of two seconds is over there before its streams have settled.
std::map<std::string, Ceiling> reached(const Pool& pool, const std::vector<ControlRow>& rows) {
  std::map<std::string, Ceiling> best;
  for (const ControlRow& row : rows) {
    if (row.control != kCeilingControl || row.bytes_per_second.empty()) continue;
    std::string label = median_label(row.bytes_per_second.size());
    label.resize(std::min(label.size(), label.find(" (")));  // how, in words, is said elsewhere
    keep_higher(best, row.wire, {*median(row.bytes_per_second), row.control + ", " + label});
  }
  for (const CalibrationRecord* calibration : pool.calibrations) {
    if (!figure(*calibration, "theory_bytes_per_second")) continue;
    for (const char* key : {"forth_1_bytes_per_second", "forth_16_bytes_per_second"}) {
      const auto rate = figure(*calibration, key);
      if (rate > 0) keep_higher(best, calibration->wire, {*rate, "raw TCP of the calibration"});
    }
  }
  return best;
}

// Of each wire the smaller of what theory allows and what raw TCP reached.
std::map<std::string, Ceiling> ceilings_of(const Pool& pool, const std::vector<ControlRow>& rows) {
  std::map<std::string, Ceiling> ceilings = reached(pool, rows);
  for (const CalibrationRecord* calibration : pool.calibrations) {
    const auto theory = figure(*calibration, "theory_bytes_per_second");
    if (!(theory > 0)) continue;
    const Ceiling stated{*theory, "theory of the wire"};
    const auto [place, is_new] = ceilings.emplace(calibration->wire, stated);
    if (!is_new && *theory < place->second.bytes_per_second) place->second = stated;
  }
  return ceilings;
}

// The highest rate that a calibration states for each wire. A reading has what theory leaves of it:
// 1448 bytes of payload of each frame of 1538 (docs/wire.md).
std::map<std::string, double> lines_of(const Pool& pool) {
  std::map<std::string, double> lines;
  for (const CalibrationRecord* calibration : pool.calibrations) {
    const auto theory = figure(*calibration, "theory_bytes_per_second");
    if (!(theory > 0)) continue;
    double& line = lines[calibration->wire];
    line = std::max(line, *theory * 1538 / 1448);
  }
  return lines;
}

std::map<std::string, double> streams_of(const std::vector<ControlRow>& rows) {
  std::map<std::string, double> streams;
  for (const ControlRow& row : rows) {
    if (row.control != kStreamControl || row.bytes_per_second.empty()) continue;
    streams[row.wire] = *median(row.bytes_per_second);
  }
  return streams;
}

double at_or_none(const std::map<std::string, double>& rates, const std::string& wire) {
  const auto found = rates.find(wire);
  return found == rates.end() ? 0 : found->second;
}

// " rsync-ssh same (1.013×); scp inconclusive (1.040×)": in the plan's order. What was not measured
// at all is said elsewhere.
std::string verdicts_of(const std::vector<Comparison>& comparisons) {
  std::string text;
  for (const Comparison& comparison : comparisons) {
    const Decision& decision = comparison.decision;
    if (decision.finding == Finding::not_measured) continue;
    text += (text.empty() ? " " : "; ") + comparison.variant + " " + to_string(decision.finding);
    if (decision.ratio) text += " (" + ratio_text(decision) + ")";
  }
  return text;
}

// Case C28: what has no verdict is not ordered, and of those whose ranges overlap that is said.
std::string overlaps_of(const std::vector<const Cell*>& timed, const std::string& baseline) {
  std::string overlaps;
  for (size_t i = 0; i < timed.size(); ++i) {
    for (size_t j = i + 1; j < timed.size(); ++j) {
      if (timed[i]->variant == baseline || timed[j]->variant == baseline) continue;
      if (!ranges_overlap(timed[i]->seconds, timed[j]->seconds)) continue;
      overlaps += (overlaps.empty() ? "" : "; ") + timed[i]->variant + " and " + timed[j]->variant;
    }
  }
  if (overlaps.empty()) return "";
  return " The ranges of single values overlap, so no order is claimed between: " + overlaps + ".";
}

// What may be said about the variants of a case in words.
std::string standing_of(const CaseTable& table) {
  std::vector<const Cell*> timed;
  for (const Cell& cell : table.cells) {
    if (cell.state == CellState::verified) timed.push_back(&cell);
  }
  if (timed.empty()) return "No verdict: no variant is verified in every round.";
  const auto least = std::ranges::min(timed, {}, [](const Cell* cell) { return cell->seconds.n; });
  if (least->seconds.n < kRoundsForVerdict) {
    return "No verdict: it takes " + std::to_string(kRoundsForVerdict) + " rounds, and " +
           least->variant + " has " + std::to_string(least->seconds.n) + ".";
  }
  if (table.comparisons.empty()) return "";
  const std::string& baseline = table.comparisons[0].baseline;
  const std::string verdicts = verdicts_of(table.comparisons);
  if (verdicts.empty()) return "";
  return "Against " + baseline + ", round by round:" + verdicts + "." +
         overlaps_of(timed, baseline);
}

Json conditions_of(const PooledCase& pooled) {
  for (const std::string& variant : pooled.plan.variants) {
    const auto trials = pooled.trials.find(variant);
    if (trials != pooled.trials.end()) return trials->second.front().record->conditions;
  }
  return nullptr;
}

// What all cases of a pool have in common.
struct Common {
  const Pool& pool;
  const std::map<std::string, Ceiling>& ceilings;
  const std::map<std::string, double>& lines;    // by wire
  const std::map<std::string, double>& streams;  // likewise
  const Contamination& contamination;
  double threshold_percent;
};

CaseTable make_case(const PooledCase& pooled, const Common& common) {
  CaseTable table;
  table.plan = pooled.plan;
  table.conditions = conditions_of(pooled);
  if (const auto ceiling = common.ceilings.find(pooled.plan.wire);
      ceiling != common.ceilings.end()) {
    table.ceiling = ceiling->second;
  }
  table.yardsticks = {table.ceiling ? table.ceiling->bytes_per_second : 0,
                      at_or_none(common.lines, pooled.plan.wire),
                      at_or_none(common.streams, pooled.plan.wire)};
  const std::vector<PooledTrial> none;
  for (const std::string& variant : pooled.plan.variants) {
    const auto trials = pooled.trials.find(variant);
    table.cells.push_back(make_cell(pooled.plan, variant,
                                    trials == pooled.trials.end() ? none : trials->second,
                                    common.contamination, table.yardsticks));
  }
  for (size_t i = 1; i < table.cells.size(); ++i) {
    table.comparisons.push_back(
        compare_paired(common.pool, table.cells[0], table.cells[i], common.threshold_percent));
  }
  table.standing = standing_of(table);
  return table;
}

}  // namespace

Tables make_tables(const Pool& pool, double threshold_percent) {
  Tables tables;
  tables.controls = control_rows(pool);
  const auto ceilings = ceilings_of(pool, tables.controls);
  const auto lines = lines_of(pool);
  const auto streams = streams_of(tables.controls);
  const Contamination contamination(pool);
  const Common common{pool, ceilings, lines, streams, contamination, threshold_percent};
  for (const PooledCase& pooled : pool.cases) tables.cases.push_back(make_case(pooled, common));
  return tables;
}

}  // namespace fairwire
