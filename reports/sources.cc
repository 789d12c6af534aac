#include "reports/sources.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/stat.h"

namespace fairwire {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;  // reader, source, path

struct Samples {
  std::vector<double> blocks, bytes, duplicates;
};

bool has_role(const MachineRecord& machine, const std::string& role) {
  return ("+" + machine.role + "+").find("+" + role + "+") != std::string::npos;
}

std::set<std::string> machines_of(const TrialRecord& trial, const std::string& role) {
  std::set<std::string> names;
  for (const MachineRecord& machine : trial.machines) {
    if (has_role(machine, role)) names.insert(machine.machine);
  }
  return names;
}

void add_counters(const TrialRecord& trial, std::map<Key, Samples>& all) {
  for (const SourceRecord& source : trial.sources) {
    Samples& samples = all[{source.machine, source.source, source.path}];
    samples.blocks.push_back(static_cast<double>(source.blocks));
    samples.bytes.push_back(static_cast<double>(source.bytes));
    samples.duplicates.push_back(static_cast<double>(source.duplicate_bytes));
  }
}

void add_wire(const TrialRecord& trial, std::map<Key, Samples>& all) {
  const std::set<std::string> readers = machines_of(trial, "reader");
  for (const WireRecord& pair : trial.wires) {
    if (pair.bytes == 0 || !readers.contains(pair.to)) continue;
    all[{pair.to, pair.from, ""}].bytes.push_back(static_cast<double>(pair.bytes));
  }
}

std::map<std::string, std::vector<double>> times_of(const std::vector<const TrialRecord*>& trials) {
  std::map<std::string, std::vector<double>> times;
  for (const TrialRecord* trial : trials) {
    std::map<std::string, double> sums;
    for (const OpRecord& op : trial->ops) {
      sums[op.machine] += static_cast<double>(op.wall_ns) / 1e9;
    }
    for (const auto& [machine, sum] : sums) times[machine].push_back(sum);
  }
  return times;
}

}  // namespace

std::vector<SourceShare> source_shares(const std::vector<const TrialRecord*>& trials) {
  std::map<Key, Samples> all;
  const bool counted =
      std::ranges::any_of(trials, [](const TrialRecord* trial) { return !trial->sources.empty(); });
  for (const TrialRecord* trial : trials) {
    if (counted) {
      add_counters(*trial, all);
    } else {
      add_wire(*trial, all);
    }
  }
  const auto times = times_of(trials);
  std::vector<SourceShare> shares;
  for (const auto& [key, samples] : all) {
    const auto& [reader, source, path] = key;
    const auto time = times.find(reader);
    shares.push_back({reader, time == times.end() ? std::nullopt : median(time->second), source,
                      path, median(samples.blocks), median(samples.bytes).value_or(0),
                      median(samples.duplicates)});
  }
  return shares;
}

std::optional<double> writer_sent_bytes(const std::vector<const TrialRecord*>& trials) {
  std::vector<double> sent;
  for (const TrialRecord* trial : trials) {
    if (trial->wires.empty()) continue;
    const std::set<std::string> writers = machines_of(*trial, "writer");
    int64_t bytes = 0;
    for (const WireRecord& pair : trial->wires) {
      if (writers.contains(pair.from)) bytes += pair.bytes;
    }
    sent.push_back(static_cast<double>(bytes));
  }
  return median(std::move(sent));
}

}  // namespace fairwire
