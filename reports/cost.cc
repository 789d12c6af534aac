#include "reports/cost.h"

#include <algorithm>
#include <set>

#include "reports/stat.h"

namespace fairwire {
namespace {

// Samples of one machine over the trials.
struct Samples {
  std::string machine;
  std::string role;
  std::string cpu_method;
  std::vector<double> user, system, total, memory, rss, prepare_wall, prepare_cpu;
  std::vector<double> connections, retransmissions, wakeups, fsyncs;
  int64_t memory_period_ms = 0;
};

void add_sample(std::vector<double>& samples, int64_t value, double scale) {
  if (value >= 0) samples.push_back(static_cast<double>(value) / scale);
}

std::optional<double> largest(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::ranges::max(values);
}

Samples& samples_of(std::vector<Samples>& all, const MachineRecord& record) {
  const auto known = std::ranges::find(all, record.machine, &Samples::machine);
  if (known != all.end()) return *known;
  Samples& samples = all.emplace_back();
  samples.machine = record.machine;
  samples.role = record.role;
  samples.cpu_method = record.cpu_method;
  return samples;
}

void add_machine(std::vector<Samples>& all, const MachineRecord& record) {
  Samples& samples = samples_of(all, record);
  if (samples.cpu_method.find(record.cpu_method) == std::string::npos) {
    samples.cpu_method += ", " + record.cpu_method;
  }
  add_sample(samples.user, record.cpu_user_us, 1e6);
  add_sample(samples.system, record.cpu_system_us, 1e6);
  const bool split = record.cpu_user_us >= 0 && record.cpu_system_us >= 0;
  add_sample(samples.total, split ? record.cpu_user_us + record.cpu_system_us : record.cpu_total_us,
             1e6);
  add_sample(samples.memory, record.peak_anonymous_bytes, 1);
  samples.memory_period_ms = std::max(samples.memory_period_ms, record.memory_period_ms);
  if (record.prepare_wall_ns > 0 || record.prepare_cpu_us > 0) {
    add_sample(samples.prepare_wall, record.prepare_wall_ns, 1e9);
    add_sample(samples.prepare_cpu, record.prepare_cpu_us, 1e6);
  }
  add_sample(samples.connections, record.connections, 1);
  add_sample(samples.retransmissions, record.retransmissions, 1);
  add_sample(samples.wakeups, record.voluntary_switches, 1);
  add_sample(samples.fsyncs, record.fsyncs, 1);
  if (record.largest_rss_bytes > 0) add_sample(samples.rss, record.largest_rss_bytes, 1);
}

MachineCost cost_of(const Samples& samples) {
  MachineCost cost;
  cost.machine = samples.machine;
  cost.role = samples.role;
  cost.cpu_method = samples.cpu_method;
  cost.cpu_user_s = median(samples.user);
  cost.cpu_system_s = median(samples.system);
  cost.cpu_total_s = median(samples.total);
  cost.peak_anonymous_bytes = largest(samples.memory);
  cost.memory_period_ms = samples.memory_period_ms;
  cost.largest_rss_bytes = largest(samples.rss);
  cost.prepare_wall_s = median(samples.prepare_wall);
  cost.prepare_cpu_s = median(samples.prepare_cpu);
  cost.connections = median(samples.connections);
  cost.retransmissions = median(samples.retransmissions);
  cost.wakeups = median(samples.wakeups);
  cost.fsyncs = median(samples.fsyncs);
  return cost;
}

// Roles of a machine that has several are joined by "+".
bool has_role(const MachineRecord& machine, std::string_view role) {
  return ("+" + machine.role + "+").find("+" + std::string(role) + "+") != std::string::npos;
}

struct Traffic {
  int64_t there = 0;
  int64_t back = 0;
};

// `ends` are the machines at the far end of the payload's way (readers), or at its start.
Traffic pair_traffic(const TrialRecord& trial, const std::set<std::string>& ends) {
  Traffic into;
  for (const WireRecord& pair : trial.wires) {
    if (ends.contains(pair.to)) {
      into.there += pair.bytes;
    } else if (ends.contains(pair.from)) {
      into.back += pair.bytes;
    }
  }
  return into;
}

Traffic interface_traffic(const TrialRecord& trial, const std::set<std::string>& ends) {
  Traffic into;
  for (const MachineRecord& machine : trial.machines) {
    if (!ends.contains(machine.machine)) continue;
    into.there += machine.received_bytes;
    into.back += machine.sent_bytes;
  }
  return into;
}

Traffic traffic_of(const TrialRecord& trial) {
  std::set<std::string> readers;
  std::set<std::string> writers;
  for (const MachineRecord& machine : trial.machines) {
    if (has_role(machine, "reader")) readers.insert(machine.machine);
    if (has_role(machine, "writer")) writers.insert(machine.machine);
  }
  const auto& ends = readers.empty() ? writers : readers;
  Traffic into = trial.wires.empty() ? interface_traffic(trial, ends) : pair_traffic(trial, ends);
  if (readers.empty()) std::swap(into.there, into.back);
  return into;
}

}  // namespace

std::vector<MachineCost> machine_costs(const std::vector<const TrialRecord*>& trials) {
  std::vector<Samples> all;
  for (const TrialRecord* trial : trials) {
    for (const MachineRecord& machine : trial->machines) add_machine(all, machine);
  }
  std::vector<MachineCost> costs;
  for (const Samples& samples : all) costs.push_back(cost_of(samples));
  return costs;
}

WireCost wire_cost(const std::vector<const TrialRecord*>& trials) {
  std::vector<double> there;
  std::vector<double> back;
  for (const TrialRecord* trial : trials) {
    const Traffic traffic = traffic_of(*trial);
    // Nothing at all: the bytes went where no counter looks (loopback), not nowhere.
    if (traffic.there + traffic.back == 0) continue;
    there.push_back(static_cast<double>(traffic.there));
    back.push_back(static_cast<double>(traffic.back));
  }
  return {median(std::move(there)), median(std::move(back))};
}

}  // namespace fairwire
