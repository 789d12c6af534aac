// settle, judge and collect: what is said of the timed part.
#include <algorithm>
#include <fstream>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "harness/listing.h"
#include "harness/trial.h"
#include "harness/verify.h"

namespace fairwire {
namespace {

constexpr int64_t kMaximumManifest = int64_t{2} << 30;
constexpr int64_t kMaximumListing = int64_t{256} << 20;
constexpr int64_t kLogTail = 256 << 10;
constexpr int64_t kCountersLimit = 1 << 20;
constexpr int64_t kMostCount = int64_t{1} << 53;
constexpr Nanoseconds kLateWriting = std::chrono::seconds(1);

std::string fingerprint(const Seat& seat) {
  return seat.machine->manifest(seat.tree, seat.base + "/fingerprint", false).digest;
}

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

// Out of its stated bounds: packets came later than declared, or were lost outside of the model.
bool was_late(const Json& lateness, const WireSpec& wire) {
  if (lateness.is_null()) return false;
  const auto figure = [&](const char* key) {
    const Json* value = lateness.find(key);
    return value != nullptr && value->if_int() != nullptr ? *value->if_int() : 0;
  };
  const auto bound = std::chrono::duration_cast<std::chrono::microseconds>(wire.late_bound);
  return figure("p99_us") > bound.count() || figure("device_drops") > 0 ||
         figure("failed_writes") > 0;
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
  if (seat.after.connections >= 0) {
    record.congestion = Json::object();
    for (const auto& [name, count] : seat.after.congestion) record.congestion.set(name, count);
  }
  record.voluntary_switches = seat.after.voluntary_switches - seat.before.voluntary_switches;
  record.involuntary_switches = seat.after.involuntary_switches - seat.before.involuntary_switches;
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

void Trial::settle() {
  for (Seat& seat : seats_) seat.after = seat.machine->meter(false);
  const WireReading wire_after = stage_.wire->read();
  for (size_t i = 0; i < wire_after.pairs.size(); ++i) {
    const PairCount& before = wire_before_.pairs.at(i);
    const PairCount& after = wire_after.pairs[i];
    record_.wires.push_back({after.from, after.to, after.bytes - before.bytes,
                             after.packets - before.packets,
                             after.dropped_packets - before.dropped_packets});
  }
  record_.wire_report = wire_after.lateness;
  if (was_late(wire_after.lateness, *context_.testbed.spec().wire(spec_->wire))) {
    add_flag(Flag::invalid);
  }
  if (!scenario_->needs_dataset) return;
  for (const Seat* seat : readers()) fingerprints_[seat] = fingerprint(*seat);
  // What outlived the tool gets a moment to show whether it still writes; then it is stopped.
  if (has_flag(Flag::left_processes)) context_.clock.sleep(kLateWriting);
}

void Trial::judge() {
  if (scenario_->needs_dataset) {
    for (const auto& [seat, before] : fingerprints_) {
      if (fingerprint(*seat) != before) add_flag(Flag::wrote_after_exit);
    }
    if (!Shelf::unchanged(*writer().machine, *source_)) {
      return blame_source();
    }
  }
  scenario_->judge(*this);
  if (!record_.verdicts.empty()) verdict_of_trial();
}

// A tool whose source moved under it may well have failed: that is no failure of its own, and what
// it said and returned stays in the record. Only our own errors are still before it.
void Trial::blame_source() {
  if (record_.outcome == Outcome::harness_error) return;
  const std::string said = record_.reason.empty() ? "" : "; " + record_.reason;
  record_.outcome = Outcome::source_changed;
  record_.reason = "the source tree changed during the trial" + said;
}

void Trial::judge_tree(Seat& seat) {
  const std::string machine = seat.machine->info().name;
  const std::string remote = seat.base + "/landed.manifest";
  const TreeSummary landed = seat.machine->manifest(seat.tree, remote, true);
  const auto manifest = seat.machine->get(remote, kMaximumManifest);
  if (!manifest || to_hex(sha256(*manifest)) != landed.digest) {
    throw ProtocolError("the manifest of " + machine + " did not come home whole");
  }
  const std::string folder = context_.folder + "/" + machine;
  make_directories(folder);
  const std::string local = folder + "/landed.manifest";
  write_file(local, *manifest);
  const std::string differences = folder + "/differences.txt";
  std::ofstream list(differences);
  VerdictRecord verdict =
      judge_manifests(source_->manifest, local, tool_->keeps, [&](const DifferenceRecord& d) {
        list << d.kind << ' ' << d.path << ": wanted " << d.wanted << ", landed " << d.landed
             << '\n';
      });
  verdict.machine = machine;
  verdict.wanted_digest = source_->summary.digest;
  verdict.landed_digest = landed.digest;
  verdict.wanted_allocated_bytes = source_->summary.allocated_bytes;
  verdict.landed_allocated_bytes = landed.allocated_bytes;
  if (verdict.overall() == Verdict::identical) {  // the wanted manifest says the same
    remove_tree(local);
    remove_tree(differences);
  }
  record_.verdicts.push_back(std::move(verdict));
}

void Trial::judge_listing(Seat& seat) {
  const std::string machine = seat.machine->info().name;
  const auto text = seat.machine->get(listing_path(seat), kMaximumListing);
  if (text && static_cast<int64_t>(text->size()) == kMaximumListing) {
    throw ProtocolError("the listing of " + machine + " is longer than 256 MiB");
  }
  const std::string folder = context_.folder + "/" + machine;
  make_directories(folder);
  const std::string differences = folder + "/differences.txt";
  std::ofstream list(differences);
  VerdictRecord verdict =
      compare_listing(source_->manifest, read_listing(text.value_or(""), *tool_->listing),
                      [&](const DifferenceRecord& d) {
                        list << d.kind << ' ' << d.path << ": wanted " << d.wanted << ", listed "
                             << d.landed << '\n';
                      });
  verdict.machine = machine;
  verdict.wanted_digest = source_->summary.digest;
  if (verdict.overall() == Verdict::identical) remove_tree(differences);
  record_.verdicts.push_back(std::move(verdict));
}

void Trial::verdict_of_trial() {
  record_.verdict = Verdict::identical;
  for (const VerdictRecord& verdict : record_.verdicts) {
    record_.verdict = worst(record_.verdict, verdict.overall());
  }
  for (OpRecord& op : record_.ops) verdict_of_op(op);
}

// An op answers for the tree on its own machine; a push for those of all readers.
void Trial::verdict_of_op(OpRecord& op) const {
  const auto own = [&](const VerdictRecord& verdict) { return verdict.machine == op.machine; };
  const bool landed_here = std::ranges::any_of(record_.verdicts, own);
  op.verdict = Verdict::identical;
  for (const VerdictRecord& verdict : record_.verdicts) {
    if (landed_here && !own(verdict)) continue;
    op.verdict = worst(op.verdict, verdict.overall());
    if (scenario_ == &kIdle) continue;  // it was there to land nothing
    op.bytes += verdict.verified_bytes;
    if (verdict.overall() == Verdict::identical) op.files += source_->summary.files;
  }
}

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
