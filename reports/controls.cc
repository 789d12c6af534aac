#include "reports/controls.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/format.h"
#include "reports/stat.h"

namespace fairwire {
namespace {

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

double seconds_of(const TrialRecord& control) {
  return static_cast<double>(control.ops[0].wall_ns) / 1e9;
}

// A pipe is read as a rate, because its time is capped; the kernel, whose work is fixed, as a time.
std::optional<double> rate_of(const TrialRecord& control) {
  const int64_t bytes = control.ops[0].bytes;
  if (bytes <= 0 || control.variant == "kernel") return std::nullopt;
  return static_cast<double>(bytes) / seconds_of(control);
}

void add_control(ControlRow& row, const TrialRecord& control) {
  if (!counts(control)) {
    ++row.not_counted;
    return;
  }
  row.seconds.push_back(seconds_of(control));
  if (const auto rate = rate_of(control)) row.bytes_per_second.push_back(*rate);
}

struct Reading {
  const PooledTrial* control;
  double value;
};

}  // namespace

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

Contamination::Contamination(const Pool& pool) {
  std::map<std::tuple<size_t, std::string, std::string, std::string, std::string>,
           std::vector<Reading>>
      series;
  for (const PooledTrial& control : pool.controls) {
    const TrialRecord& record = *control.record;
    if (!counts(record)) continue;
    series[{control.run, record.session, record.case_name, record.wire, record.variant}].push_back(
        {&control, rate_of(record).value_or(seconds_of(record))});
  }
  for (const auto& [key, readings] : series) {
    std::vector<double> values;
    for (const Reading& reading : readings) values.push_back(reading.value);
    const Summary summary = summarize(values);
    const double middle = *summary.median;
    const double bound = std::max(kControlShare * middle, kControlMads * summary.mad.value_or(0));
    for (const Reading& reading : readings) {
      const double distance = std::abs(reading.value - middle);
      if (distance <= bound) continue;
      const TrialRecord& record = *reading.control->record;
      std::string& reason =
          reasons_[{reading.control->run, record.session, record.case_name, record.round}];
      reason += (reason.empty() ? "" : ", ") + record.variant + " " +
                format_share(distance / middle) + " off its median";
    }
  }
}

std::string Contamination::reason(const PooledTrial& trial) const {
  const TrialRecord& record = *trial.record;
  const auto found = reasons_.find({trial.run, record.session, record.case_name, record.round});
  if (found != reasons_.end()) return found->second;
  const bool recorded = std::ranges::find(record.flags, Flag::contaminated) != record.flags.end();
  return recorded ? "recorded as such" : "";
}

}  // namespace fairwire
