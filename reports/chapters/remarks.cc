#include "reports/chapters/remarks.h"

#include <algorithm>

#include "base/log.h"
#include "reports/format.h"

namespace fairwire {
namespace {

std::string sources_text(const TrialRecord& trial) {
  std::string text;
  for (const SourceRecord& source : trial.sources) {
    text += (text.empty() ? "from " : ", ") + printable(source.source);
    if (!source.path.empty()) text += " (" + printable(source.path) + ")";
    text += " " + format_count(source.blocks) + " blocks, " +
            format_mb(static_cast<double>(source.bytes));
  }
  return text;
}

// "5 connections: cubic 5": what the readers' side used.
std::string connections_text(const TrialRecord& trial) {
  for (const MachineRecord& machine : trial.machines) {
    if (machine.role.find("reader") == std::string::npos || machine.connections < 0) continue;
    std::string text = format_count(machine.connections) +
                       (machine.connections == 1 ? " connection" : " connections");
    if (const auto* used = machine.congestion.if_object()) {
      for (const auto& [name, count] : *used) {
        text += (&name == &used->front().first ? ": " : ", ") + printable(name) + " " +
                printable(count.dump());
      }
    }
    return text;
  }
  return {};
}

// "wire late by 31 µs (median), 115 µs (p99), 7 159 µs (most)".
std::string lateness_text(const TrialRecord& trial) {
  const auto us = [&](const char* key) -> std::string {
    const Json* value = trial.wire_report.find(key);
    return value == nullptr || value->if_int() == nullptr ? "?" : format_count(*value->if_int());
  };
  if (trial.wire_report.is_null()) return {};
  return "wire late by " + us("median_us") + " µs (median), " + us("p99_us") + " µs (p99), " +
         us("maximum_us") + " µs (most)";
}

}  // namespace

std::string remarks_of(const CellTrial& trial) {
  std::string text = printable(trial.reason);
  const auto add = [&](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  for (const Flag flag : trial.flags()) {
    std::string word = to_string(flag);
    std::ranges::replace(word, '_', ' ');
    if (flag == Flag::contaminated) word += ": " + printable(trial.contamination);
    add(word);
  }
  add(sources_text(*trial.record));
  add(connections_text(*trial.record));
  add(lateness_text(*trial.record));
  for (const EventRecord& event : trial.record->events) {
    add("event: " + printable(event.what) + " " + printable(event.machine));
  }
  return text.empty() ? std::string(kNone) : text;
}

}  // namespace fairwire
