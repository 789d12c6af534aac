#include "reports/measure.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "reports/format.h"

namespace fairwire {
namespace {

constexpr MeasureInfo kMeasures[] = {
    {Measure::median, "median", "Median time"},
    {Measure::values, "values", "Single values, s"},
    {Measure::rounds, "rounds", "n"},
    {Measure::goodput, "goodput", "MB/s (of line)"},
    {Measure::files, "files", "Files/s"},
    {Measure::cpu, "cpu", "CPU time"},
    {Measure::memory, "memory", "Peak memory"},
    {Measure::wire, "wire", "Wire bytes"},
    {Measure::overhead, "overhead", "Wire / payload"},
    {Measure::needed, "needed", "Had to move"},
    {Measure::twice, "twice", "Sent twice"},
    {Measure::per_entry, "per-entry", "Per entry"},
    {Measure::prepare, "prepare", "Prepared before"},
    {Measure::connections, "connections", "Connections"},
    {Measure::wakeups, "wakeups", "Wakeups"},
    {Measure::fsyncs, "fsyncs", "Fsyncs"},
    {Measure::ceiling, "ceiling", "Of ceiling"},
    {Measure::stream, "stream", "Of 1 stream"},
    {Measure::durability, "durability", "Durable"},
    {Measure::state, "state", "Result"},
};

using Lines = std::vector<std::string>;

Lines or_none(Lines lines) {
  if (lines.empty()) lines.emplace_back(kNone);
  return lines;
}

std::string rounds_text(const Cell& cell) {
  const auto n = static_cast<int64_t>(cell.seconds.n);
  const auto wanted =
      std::max<int64_t>(cell.planned_rounds, static_cast<int64_t>(cell.trials.size()));
  return n == wanted ? format_count(n) : format_count(n) + " of " + format_count(wanted);
}

Lines value_lines(const Cell& cell) {
  std::string text;
  for (const CellTrial& trial : cell.trials) {
    if (trial.seconds) text += (text.empty() ? "" : " · ") + value_text(trial);
  }
  return text.empty() ? Lines{std::string(kNone)} : Lines{text};
}

// A machine's role names it for the reader of a page; its name only where roles repeat.
std::string label_of(const Cell& cell, const MachineCost& machine) {
  const auto same = std::ranges::count(cell.machines, machine.role, &MachineCost::role);
  const std::string& label = machine.role.empty() || same > 1 ? machine.machine : machine.role;
  return printable(label);
}

std::string whole_number(double value) {
  return format_count(std::llround(value));
}

// A line a machine; `words` makes its figure of it.
template <typename Words>
Lines machine_lines(const Cell& cell, const Words& words) {
  Lines lines;
  for (const MachineCost& machine : cell.machines) {
    lines.push_back(label_of(cell, machine) + " " + words(machine));
  }
  return or_none(std::move(lines));
}

Lines cpu_lines(const Cell& cell) {
  return machine_lines(cell, [](const MachineCost& machine) {
    return format_or_none(machine.cpu_total_s, format_seconds);
  });
}

Lines memory_lines(const Cell& cell) {
  return machine_lines(cell, [](const MachineCost& machine) {
    return format_or_none(machine.peak_anonymous_bytes, format_mib);
  });
}

// What nothing was done for costs nothing: that is said, too.
Lines prepare_lines(const Cell& cell) {
  return machine_lines(cell, [](const MachineCost& machine) {
    return format_duration(machine.prepare_wall_s.value_or(0)) + ", CPU " +
           format_duration(machine.prepare_cpu_s.value_or(0));
  });
}

Lines connection_lines(const Cell& cell) {
  return machine_lines(cell, [](const MachineCost& machine) {
    const std::string again = format_or_none(machine.retransmissions, whole_number);
    return format_or_none(machine.connections, whole_number) + ", " + again + " segments again";
  });
}

Lines per_entry_lines(const Cell& cell) {
  if (!cell.files_per_second || *cell.files_per_second <= 0) return {std::string(kNone)};
  return {format_duration(1 / *cell.files_per_second)};
}

Lines wire_lines(const Cell& cell) {
  if (!cell.wire_there_bytes) return {std::string(kNone)};
  return {"→ " + format_mb(*cell.wire_there_bytes), "← " + format_mb(*cell.wire_back_bytes)};
}

Lines durability_lines(const Cell& cell) {
  Lines lines;
  for (const std::string& durability : cell.durability) lines.push_back(printable(durability));
  return or_none(std::move(lines));
}

std::string mb_per_s_number(double bytes_per_second) {
  return format_decimal(bytes_per_second / 1e6);
}

}  // namespace

const MeasureInfo& info_of(Measure measure) {
  return kMeasures[static_cast<size_t>(measure)];
}

const MeasureInfo* find_measure(std::string_view name) {
  const auto known = std::ranges::find(kMeasures, name, &MeasureInfo::name);
  return known == std::end(kMeasures) ? nullptr : &*known;
}

std::string measure_names() {
  std::string names;
  for (const MeasureInfo& info : kMeasures) {
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

std::vector<std::string> measure_lines(const Cell& cell, Measure measure) {
  switch (measure) {
    case Measure::median:
      return {format_or_none(cell.seconds.median, format_seconds)};
    case Measure::values:
      return value_lines(cell);
    case Measure::rounds:
      return {rounds_text(cell)};
    case Measure::goodput:
      return {format_or_none(cell.bytes_per_second, mb_per_s_number)};
    case Measure::files:
      return {format_or_none(cell.files_per_second, format_decimal)};
    case Measure::cpu:
      return cpu_lines(cell);
    case Measure::memory:
      return memory_lines(cell);
    case Measure::wire:
      return wire_lines(cell);
    case Measure::overhead:
      return {format_or_none(cell.overhead, format_times)};
    case Measure::needed:
      return {format_or_none(cell.needed_bytes, format_mb)};
    case Measure::twice:
      return {format_or_none(cell.twice_bytes, format_mb)};
    case Measure::per_entry:
      return per_entry_lines(cell);
    case Measure::prepare:
      return prepare_lines(cell);
    case Measure::connections:
      return connection_lines(cell);
    case Measure::wakeups:
      return machine_lines(cell, [](const MachineCost& machine) {
        return format_or_none(machine.wakeups, whole_number);
      });
    case Measure::fsyncs:
      return machine_lines(cell, [](const MachineCost& machine) {
        return format_or_none(machine.fsyncs, whole_number);
      });
    case Measure::ceiling:
      return {format_or_none(cell.share_of_ceiling, format_share)};
    case Measure::stream:
      return {format_or_none(cell.share_of_stream, format_share)};
    case Measure::durability:
      return durability_lines(cell);
    case Measure::state:
      return {cell.state_text};
  }
  return {std::string(kNone)};
}

std::string line_text(const Cell& cell) {
  if (!cell.bytes_per_second) return "";
  if (cell.share_of_line) return format_share(*cell.share_of_line) + " of line";
  if (cell.share_of_stream) return format_share(*cell.share_of_stream) + " of 1 stream";
  return "line not known";
}

std::string value_text(const CellTrial& trial) {
  if (!trial.seconds) return std::string(kNone);
  std::string text = format_seconds(*trial.seconds);
  text.resize(text.size() - 2);  // " s" stands in the title of the column
  return trial.counted() ? text : "[" + text + "]";
}

std::string n_text(const Cell& cell) {
  return "n = " + rounds_text(cell) + (cell.seconds.n == 1 ? ", single run" : "");
}

}  // namespace fairwire
