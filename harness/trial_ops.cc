// settle and judge: what is said of the timed part.
#include <algorithm>
#include <fstream>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "harness/listing.h"
#include "harness/trial.h"
#include "harness/trial_flags.h"
#include "harness/verify.h"

namespace fairwire {
namespace {

constexpr int64_t kMaximumManifest = int64_t{2} << 30;
constexpr int64_t kMaximumListing = int64_t{256} << 20;
constexpr Nanoseconds kLateWriting = std::chrono::seconds(1);

std::string fingerprint(const Seat& seat) {
  return seat.machine->manifest(seat.tree, seat.base + "/fingerprint", false).digest;
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
  check_start_up();
  if (!scenario_->needs_dataset) return;
  for (const Seat* seat : readers()) fingerprints_[seat] = fingerprint(*seat);
  // What outlived the tool gets a moment to show whether it still writes; then it is stopped.
  if (has_flag(Flag::left_processes)) context_.clock.sleep(kLateWriting);
}

// Of the scenarios in which a whole tree has to move.
void Trial::check_start_up() {
  if (scenario_ != &kPull && scenario_ != &kPush && scenario_ != &kSwarm) return;
  const WireSpec& wire = *context_.testbed.spec().wire(spec_->wire);
  for (const OpRecord& op : record_.ops) {
    const std::string& to = scenario_ == &kPush ? spec_->readers.front() : op.machine;
    const int64_t start_up_ns = start_up_time(wire, spec_->writer, to).count();
    if (op.wall_ns < 2 * start_up_ns) add_flag(Flag::start_up_bound);
  }
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
  const std::string folder = context_.folder + "/" + machine;
  make_directories(folder);
  const std::string local = folder + "/landed.manifest";
  if (seat.machine->fetch(remote, local, kMaximumManifest) != landed.digest) {
    throw ProtocolError("the manifest of " + machine + " did not come home whole");
  }
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

}  // namespace fairwire
