#include "reports/summary.h"

#include <optional>

#include "base/log.h"

namespace fairwire {
namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json whole(size_t count) {
  return static_cast<int64_t>(count);
}

Json texts(const std::vector<std::string>& values) {
  Json::Array items;
  for (const std::string& value : values) items.emplace_back(printable(value));
  return items;
}

Json numbers(const std::vector<double>& values) {
  return Json::Array(values.begin(), values.end());
}

Json value_json(const CellTrial& trial) {
  return Json::object({{"run", whole(trial.run)},
                       {"trial", trial.record->trial},
                       {"round", trial.record->round},
                       {"seconds", or_null(trial.seconds)},
                       {"state", to_string(trial.state)},
                       {"counted", trial.counted()},
                       {"reason", printable(trial.reason)},
                       {"contaminated", printable(trial.contamination)}});
}

Json machine_json(const MachineCost& machine) {
  return Json::object({{"machine", printable(machine.machine)},
                       {"role", printable(machine.role)},
                       {"cpu_method", printable(machine.cpu_method)},
                       {"cpu_user_seconds", or_null(machine.cpu_user_s)},
                       {"cpu_system_seconds", or_null(machine.cpu_system_s)},
                       {"cpu_total_seconds", or_null(machine.cpu_total_s)},
                       {"peak_anonymous_bytes", or_null(machine.peak_anonymous_bytes)},
                       {"memory_period_ms", machine.memory_period_ms},
                       {"largest_rss_bytes", or_null(machine.largest_rss_bytes)},
                       {"prepare_wall_seconds", or_null(machine.prepare_wall_s)},
                       {"prepare_cpu_seconds", or_null(machine.prepare_cpu_s)},
                       {"connections", or_null(machine.connections)},
                       {"retransmissions", or_null(machine.retransmissions)},
                       {"wakeups", or_null(machine.wakeups)},
                       {"fsyncs", or_null(machine.fsyncs)}});
}

template <typename Item, typename Make>
Json list_json(const std::vector<Item>& items, Make make) {
  Json::Array list;
  list.reserve(items.size());
  for (const Item& item : items) list.push_back(make(item));
  return list;
}

Json flag_json(const FlagCount& count) {
  return Json::object({{"flag", to_string(count.flag)}, {"trials", count.trials}});
}

Json cell_json(const Cell& cell) {
  return Json::object({{"variant", printable(cell.variant)},
                       {"state", cell.state_text},
                       {"reasons", texts(cell.reasons)},
                       {"n", whole(cell.seconds.n)},
                       {"planned_rounds", cell.planned_rounds},
                       {"median_seconds", or_null(cell.seconds.median)},
                       {"median_label", median_label(cell.seconds.n)},
                       {"minimum_seconds", or_null(cell.seconds.minimum)},
                       {"maximum_seconds", or_null(cell.seconds.maximum)},
                       {"mad_seconds", or_null(cell.seconds.mad)},
                       {"p95_seconds", or_null(cell.seconds.p95)},
                       {"payload_bytes", or_null(cell.payload_bytes)},
                       {"needed_bytes", or_null(cell.needed_bytes)},
                       {"twice_bytes", or_null(cell.twice_bytes)},
                       {"files", or_null(cell.files)},
                       {"bytes_per_second", or_null(cell.bytes_per_second)},
                       {"files_per_second", or_null(cell.files_per_second)},
                       {"wire_there_bytes", or_null(cell.wire_there_bytes)},
                       {"wire_back_bytes", or_null(cell.wire_back_bytes)},
                       {"overhead", or_null(cell.overhead)},
                       {"share_of_ceiling", or_null(cell.share_of_ceiling)},
                       {"share_of_line", or_null(cell.share_of_line)},
                       {"share_of_stream", or_null(cell.share_of_stream)},
                       {"durability", texts(cell.durability)},
                       {"flags", list_json(cell.flags, flag_json)},
                       {"machines", list_json(cell.machines, machine_json)},
                       {"values", list_json(cell.trials, value_json)}});
}

Json session_json(const SessionRatio& session) {
  return Json::object({{"run", printable(session.run)},
                       {"session", printable(session.session)},
                       {"n", whole(session.n)},
                       {"ratio", session.ratio}});
}

Json ceiling_json(const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return nullptr;
  return Json::object(
      {{"bytes_per_second", ceiling->bytes_per_second}, {"basis", printable(ceiling->basis)}});
}

Json case_json(const CaseTable& table) {
  return Json::object({{"case", printable(table.plan.name)},
                       {"title", printable(table.plan.title)},
                       {"scenario", printable(table.plan.scenario)},
                       {"dataset", printable(table.plan.dataset)},
                       {"wire", printable(table.plan.wire)},
                       {"planned_rounds", table.plan.rounds},
                       {"ceiling", ceiling_json(table.ceiling)},
                       {"standing", printable(table.standing)},
                       {"comparisons", list_json(table.comparisons, comparison_json)},
                       {"conditions", table.conditions},
                       {"cells", list_json(table.cells, cell_json)}});
}

Json control_json(const ControlRow& row) {
  return Json::object({{"wire", printable(row.wire)},
                       {"control", printable(row.control)},
                       {"seconds", numbers(row.seconds)},
                       {"bytes_per_second", numbers(row.bytes_per_second)},
                       {"not_counted", row.not_counted}});
}

Json published_json(const PublishedRecord* figure) {
  return Json::object({{"source", printable(figure->source)},
                       {"case", printable(figure->case_name)},
                       {"variant", printable(figure->variant)},
                       {"measure", printable(figure->measure)},
                       {"value", figure->value},
                       {"unit", printable(figure->unit)}});
}

int64_t trials_in(const Tables& tables) {
  size_t trials = 0;
  for (const CaseTable& table : tables.cases) {
    for (const Cell& cell : table.cells) trials += cell.trials.size();
  }
  return static_cast<int64_t>(trials);
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  const Decision& decision = comparison.decision;
  return Json::object(
      {{"case", printable(comparison.case_name)},
       {"baseline", printable(comparison.baseline)},
       {"variant", printable(comparison.variant)},
       {"paired", comparison.paired},
       {"verdict", to_string(decision.finding)},
       {"reason", printable(comparison.reason)},
       {"threshold_percent", comparison.threshold_percent},
       {"baseline_n", whole(comparison.baseline_seconds.n)},
       {"variant_n", whole(comparison.variant_seconds.n)},
       {"baseline_median_seconds", or_null(comparison.baseline_seconds.median)},
       {"variant_median_seconds", or_null(comparison.variant_seconds.median)},
       {"ratio", or_null(decision.ratio)},
       {"ratio_low", or_null(decision.ratio_low)},
       {"ratio_high", or_null(decision.ratio_high)},
       {"confidence", or_null(decision.confidence)},
       {"rounds_to_decide", decision.rounds_to_decide ? Json(*decision.rounds_to_decide) : Json()},
       {"smallest_visible_ratio", or_null(decision.smallest_visible)},
       {"contaminated", comparison.contaminated},
       {"incomplete", comparison.incomplete},
       {"sessions", list_json(comparison.sessions, session_json)}});
}

Json make_summary(const PageInput& input, const Report& report) {
  const Json counts = Json::object({{"planned", report.planned},
                                    {"verified", report.verified},
                                    {"mismatched", report.mismatched},
                                    {"not_measured", report.not_measured},
                                    {"unsupported", report.unsupported},
                                    {"trials", trials_in(input.tables)}});
  return Json::object(
      {{"schema", 1},
       {"title", printable(input.page.title)},
       {"runs",
        list_json(input.pool.runs, [](const PooledRun& run) { return printable(run.name); })},
       {"counts", counts},
       {"warnings", texts(input.pool.warnings)},
       {"cases", list_json(input.tables.cases, case_json)},
       {"controls", list_json(input.tables.controls, control_json)},
       {"published", list_json(input.pool.published, published_json)}});
}

}  // namespace fairwire
