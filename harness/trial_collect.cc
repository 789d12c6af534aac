// collect: what the machines, the logs and the tool's own counters say, into the record.
#include <algorithm>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "harness/trial.h"
#include "harness/trial_flags.h"

namespace fairwire {
namespace {

constexpr int64_t kLogTail = 256 << 10;
constexpr int64_t kCountersLimit = 1 << 20;
constexpr int64_t kMostCount = int64_t{1} << 53;

int64_t difference(int64_t before, int64_t after) {
  return before < 0 || after < 0 ? -1 : after - before;
}

void add_interfaces(const MeterReading& reading, int64_t sign, MachineRecord& record) {
  for (const InterfaceCount& count : reading.interfaces) {
    record.received_bytes += sign * count.received_bytes;
    record.sent_bytes += sign * count.sent_bytes;
    record.received_packets += sign * count.received_packets;
    record.sent_packets += sign * count.sent_packets;
  }
}

MachineRecord machine_record(const Seat& seat) {
  MachineRecord record;
  record.machine = seat.machine->info().name;
  record.role = seat.role;
  record.cpu_user_us = difference(seat.before.cpu_user_us, seat.after.cpu_user_us);
  record.cpu_system_us = difference(seat.before.cpu_system_us, seat.after.cpu_system_us);
  record.cpu_total_us = difference(seat.before.cpu_total_us, seat.after.cpu_total_us);
  record.cpu_method = seat.after.cpu_method;
  record.peak_anonymous_bytes = seat.after.peak_anonymous_bytes;
  record.memory_period_ms = seat.after.memory_period_ms;
  record.largest_rss_bytes = seat.largest_rss_bytes;
  record.disk_read_bytes = difference(seat.before.disk_read_bytes, seat.after.disk_read_bytes);
  record.disk_written_bytes =
      difference(seat.before.disk_written_bytes, seat.after.disk_written_bytes);
  add_interfaces(seat.before, -1, record);
  record.connections = seat.after.connections;
  record.retransmissions = seat.after.retransmissions;
  record.payload_received_bytes = seat.after.payload_received_bytes;
  if (seat.after.connections >= 0) {
    record.congestion = Json::object();
    for (const auto& [name, count] : seat.after.congestion) record.congestion.set(name, count);
  }
  record.voluntary_switches = seat.after.voluntary_switches - seat.before.voluntary_switches;
  record.involuntary_switches = seat.after.involuntary_switches - seat.before.involuntary_switches;
  record.fsyncs = difference(seat.before.fsyncs, seat.after.fsyncs);
  const HostLoad& load = seat.before.load;
  record.steal_us = difference(load.steal_us, seat.after.load.steal_us);
  record.cpu_pressure_us = difference(load.cpu_pressure_us, seat.after.load.cpu_pressure_us);
  record.io_pressure_us = difference(load.io_pressure_us, seat.after.load.io_pressure_us);
  record.memory_pressure_us =
      difference(load.memory_pressure_us, seat.after.load.memory_pressure_us);
  add_interfaces(seat.after, 1, record);
  record.prepare_wall_ns = seat.prepare_wall_ns;
  record.prepare_cpu_us = seat.prepare_cpu_us;
  return record;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<SourceRecord> counters_from(const std::string& text, const std::string& file,
                                        const std::string& machine) {
  const Json json = Json::parse(text, file);
  std::vector<SourceRecord> sources;
  for (const JsonView& item : JsonView(json, file).at("sources").items()) {
    sources.push_back({item.at("source").as_string(), item.at("path").as_string(),
                       item.at("blocks").as_int(0, kMostCount),
                       item.at("bytes").as_int(0, kMostCount), machine,
                       item.int_or("duplicate_bytes", 0, 0, kMostCount)});
  }
  return sources;
}

}  // namespace

void Trial::collect() {
  fill_machine_records();
  for (const Running& done : finished_) {
    const Machine& machine = *done.seat->machine;
    const std::string folder = context_.folder + "/" + machine.info().name;
    for (const char* ending : {".out", ".err"}) {
      const auto text =
          done.seat->machine->get(machine.info().work + "/logs/" + done.name + ending, kLogTail);
      if (!text || text->empty()) continue;
      make_directories(folder);
      write_file(folder + "/" + done.name + ending + ".log", *text);
    }
  }
  read_counters();
  if (sources_disagree(record_)) add_flag(Flag::sources_disagree);
}

void Trial::fill_machine_records() {
  std::vector<const Machine*> seen;
  for (const Seat& seat : seats_) {
    if (seat.after.cpu_method.empty()) continue;  // the ops never ran
    const bool again = std::find(seen.begin(), seen.end(), seat.machine) != seen.end();
    if (again) {  // reader and writer on one machine: one reading, both roles
      record_.machines.back().role += "+" + seat.role;
      continue;
    }
    seen.push_back(seat.machine);
    record_.machines.push_back(machine_record(seat));
  }
}

// Of the tool's own counters (docs/tool.md): all of a file, or none of it.
void Trial::read_counters() {
  if (tool_->counters.empty()) return;
  for (Seat* seat : readers()) {
    const std::string path = expand(tool_->counters, seat->bindings.at(tool_->name), tool_->file);
    const std::string& machine = seat->machine->info().name;
    const auto text = seat->machine->get(path, kCountersLimit);
    if (!text) continue;
    try {
      const auto sources = counters_from(*text, file_name(path), machine);
      record_.sources.insert(record_.sources.end(), sources.begin(), sources.end());
    } catch (const FormatError& error) {
      const std::string folder = context_.folder + "/" + machine;
      make_directories(folder);
      write_file(folder + "/counters.txt", *text);
      record_.unparsable.push_back(machine + ": " + error.what());
      log_warning(variant_.name + ", unparsable counters of " + record_.unparsable.back());
    }
  }
}

}  // namespace fairwire
