// What a case cost each machine, and where its bytes came from: folded below its table.
#include <algorithm>

#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"
#include "reports/sources.h"

namespace fairwire {
namespace {

std::string machine_name(const MachineCost& machine) {
  const std::string name = printable(machine.machine);
  return machine.role.empty() || machine.role == machine.machine
             ? name
             : name + " (" + printable(machine.role) + ")";
}

TextTable::Row cost_row(const Cell& cell, const MachineCost& machine) {
  const auto text = [](std::string words) { return text_cell(std::move(words)); };
  const std::string period = machine.memory_period_ms > 0
                                 ? "every " + format_count(machine.memory_period_ms) + " ms"
                                 : std::string(kNone);
  return {"",
          {text(printable(cell.variant)), text(machine_name(machine)),
           text(format_or_none(machine.cpu_user_s, format_duration)),
           text(format_or_none(machine.cpu_system_s, format_duration)),
           text(format_or_none(machine.cpu_total_s, format_duration)),
           text(machine.cpu_method.empty() ? std::string(kNone) : printable(machine.cpu_method)),
           text(format_or_none(machine.peak_anonymous_bytes, format_mib)), text(period),
           text(format_or_none(machine.largest_rss_bytes, format_mib)),
           text(format_or_none(machine.prepare_wall_s, format_duration)),
           text(format_or_none(machine.prepare_cpu_s, format_duration)),
           text(format_or_none(cell.overhead, format_times))}};
}

TextTable::Row source_row(const Cell& cell, const SourceShare& share) {
  const auto count = [](const std::optional<double>& value) {
    return value ? format_count(static_cast<int64_t>(*value)) : std::string(kNone);
  };
  return {
      "",
      {text_cell(printable(cell.variant)),
       text_cell(share.reader.empty() ? std::string(kNone) : printable(share.reader)),
       text_cell(format_or_none(share.seconds, format_seconds)), text_cell(printable(share.source)),
       text_cell(share.path.empty() ? std::string(kNone) : printable(share.path)),
       text_cell(count(share.blocks)), text_cell(format_mb(share.bytes)),
       text_cell(format_or_none(share.duplicate_bytes, format_mb)),
       text_cell(share.blocks ? "the tool's counters" : "the wire")}};
}

// Of a swarm: what all of it cost the writer's line.
TextTable::Row sent_row(const Cell& cell, double bytes) {
  const auto none = [] { return text_cell(std::string(kNone)); };
  return {"",
          {text_cell(printable(cell.variant)), text_cell("all"), none(),
           text_cell("sent by the writer"), none(), none(), text_cell(format_mb(bytes)), none(),
           text_cell("the wire")}};
}

}  // namespace

std::optional<Folded> costs_of(const CaseTable& table) {
  Folded folded;
  folded.title = "What it cost each machine";
  folded.table.columns = {
      {"Variant", false, 0},       {"Machine", false, 0},    {"CPU user", true, 0},
      {"CPU system", true, 0},     {"CPU total", true, 0},   {"CPU meter", false, 0},
      {"Peak anonymous", true, 0}, {"Polled", false, 0},     {"Largest process", true, 0},
      {"Prepare", true, 0},        {"Prepare CPU", true, 0}, {"Wire / payload", true, 0}};
  for (const Cell& cell : table.cells) {
    for (const MachineCost& machine : cell.machines) {
      folded.table.rows.push_back(cost_row(cell, machine));
    }
  }
  if (folded.table.rows.empty()) return std::nullopt;
  return folded;
}

std::optional<Folded> sources_of(const CaseTable& table) {
  Folded folded;
  folded.title = "Where the bytes came from";
  folded.table.columns = {{"Variant", false, 0}, {"Reader", false, 0},    {"Time", true, 0},
                          {"Source", false, 0},  {"Path", false, 0},      {"Blocks", true, 0},
                          {"Bytes", true, 0},    {"Duplicates", true, 0}, {"Said by", false, 0}};
  bool has_counters = false;
  for (const Cell& cell : table.cells) {
    std::vector<const TrialRecord*> counted;
    for (const CellTrial& trial : cell.trials) {
      if (trial.counted()) counted.push_back(trial.record);
    }
    for (const SourceShare& share : source_shares(counted)) {
      has_counters = has_counters || share.blocks.has_value();
      folded.table.rows.push_back(source_row(cell, share));
    }
    const auto sent = writer_sent_bytes(counted);
    if (table.plan.scenario == "swarm" && sent) {
      folded.table.rows.push_back(sent_row(cell, *sent));
    }
  }
  // One reader and one source without counters: the table of the case says it already.
  if (!has_counters && table.plan.scenario != "swarm") return std::nullopt;
  if (folded.table.rows.empty()) return std::nullopt;
  return folded;
}

}  // namespace fairwire
