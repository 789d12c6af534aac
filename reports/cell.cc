#include "reports/cell.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reports/cost.h"
#include "reports/format.h"

namespace fairwire {
namespace {

bool has_flag(const TrialRecord& trial, Flag flag) {
  return std::ranges::find(trial.flags, flag) != trial.flags.end();
}

void add_once(std::vector<std::string>& texts, const std::string& text) {
  if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

CellState state_of(const TrialRecord& trial) {
  switch (trial.outcome) {
    case Outcome::tool_failed:
      return CellState::tool_failed;
    case Outcome::timed_out:
      return CellState::timed_out;
    case Outcome::unsupported:
      return CellState::unsupported;
    case Outcome::source_changed:
      return CellState::source_changed;
    case Outcome::harness_error:
      return CellState::not_measured;
    case Outcome::completed:
      break;
  }
  if (trial.verdict == Verdict::different) return CellState::mismatch;
  if (trial.verdict == Verdict::unknown) return CellState::not_measured;
  if (has_flag(trial, Flag::invalid) || trial.ops.empty()) return CellState::not_measured;
  return CellState::verified;
}

// The parts of the landed trees that are different, in the order content, file set, metadata.
std::vector<std::string> different_parts(const TrialRecord& trial) {
  std::array<bool, 3> differs{};
  for (const VerdictRecord& verdict : trial.verdicts) {
    differs[0] |= verdict.content == Verdict::different;
    differs[1] |= verdict.file_set == Verdict::different;
    differs[2] |= verdict.metadata == Verdict::different;
  }
  static constexpr const char* kParts[] = {"content", "file set", "metadata"};
  std::vector<std::string> parts;
  for (size_t i = 0; i < differs.size(); ++i) {
    if (differs[i]) parts.emplace_back(kParts[i]);
  }
  return parts;
}

void add_count(std::string& text, int64_t count, const char* what) {
  if (count > 0) text += ", " + format_count(count) + " " + what;
}

// Counts of our own verifier; whatever the tool said of itself is not asked.
std::string what_landed(const VerdictRecord& verdict) {
  std::string text =
      verdict.machine + ": " + format_count(verdict.wanted_entries) + " entries wanted, " +
      format_coverage(verdict.verified_bytes, verdict.wanted_bytes) + " of the bytes verified";
  add_count(text, verdict.missing, "missing");
  add_count(text, verdict.extra, "extra");
  add_count(text, verdict.different, "different");
  add_count(text, verdict.mode_different, "with another mode");
  add_count(text, verdict.mtime_different, "with another time");
  add_count(text, verdict.hard_link_different, "with other hard links");
  for (const auto& [name, what] :
       {std::pair{"sparse", "with filled holes"}, std::pair{"xattr", "with other attributes"},
        std::pair{"owner", "with another owner"}}) {
    const auto property = std::ranges::find(verdict.properties, name, &PropertyRecord::name);
    if (property != verdict.properties.end()) add_count(text, property->different, what);
  }
  return text;
}

std::string reason_of(const TrialRecord& trial, CellState state) {
  if (state == CellState::verified) return "";
  std::string reason = trial.reason;
  if (reason.empty() && has_flag(trial, Flag::invalid)) {
    reason = "the wire was out of its stated bounds";
  } else if (reason.empty() && trial.verdict == Verdict::unknown) {
    reason = "what landed was not judged";
  } else if (reason.empty() && trial.ops.empty()) {
    reason = "nothing was timed";
  }
  for (const VerdictRecord& verdict : trial.verdicts) {
    if (verdict.overall() == Verdict::unknown && verdict.verified_files < verdict.wanted_files) {
      reason += (reason.empty() ? "" : "; ") + verdict.machine + ": " +
                format_count(verdict.wanted_files - verdict.verified_files) + " of " +
                format_count(verdict.wanted_files) + " files were not read on both sides";
    }
    if (verdict.overall() != Verdict::different) continue;
    reason += (reason.empty() ? "" : "; ") + what_landed(verdict);
  }
  return reason;
}

// The readers of a swarm, or of a machine left alone: the slowest one's time is that of all.
bool runs_at_once(const TrialRecord& trial) {
  return trial.scenario == "swarm" || trial.scenario == "idle";
}

std::optional<double> seconds_of(const TrialRecord& trial) {
  if (trial.ops.empty()) return std::nullopt;
  int64_t wall_ns = 0;
  if (trial.scenario == "connect") {  // every op is the same once more
    std::vector<double> walls;
    for (const OpRecord& op : trial.ops) walls.push_back(static_cast<double>(op.wall_ns) / 1e9);
    return median(std::move(walls));
  }
  for (const OpRecord& op : trial.ops) {
    wall_ns = runs_at_once(trial) ? std::max(wall_ns, op.wall_ns) : wall_ns + op.wall_ns;
  }
  return static_cast<double>(wall_ns) / 1e9;
}

std::string state_text_of(const Cell& cell) {
  if (cell.state != CellState::mismatch) return to_string(cell.state);
  std::vector<std::string> parts;
  for (const CellTrial& trial : cell.trials) {
    if (trial.state != CellState::mismatch) continue;
    for (const std::string& part : different_parts(*trial.record)) add_once(parts, part);
  }
  return parts.empty() ? "MISMATCH" : "MISMATCH (" + joined(parts) + ")";
}

void count_flags(Cell& cell) {
  for (const CellTrial& trial : cell.trials) {
    for (const Flag flag : trial.flags()) {
      const auto known = std::ranges::find(cell.flags, flag, &FlagCount::flag);
      if (known == cell.flags.end()) {
        cell.flags.push_back({flag, 1});
      } else {
        ++known->trials;
      }
    }
  }
}

// The least that had to move, of the scenarios that know it.
std::optional<double> needed_bytes_of(const std::vector<const TrialRecord*>& counted) {
  std::vector<double> needed;
  for (const TrialRecord* trial : counted) {
    int64_t sum = -1;
    for (const OpRecord& op : trial->ops) {
      if (op.needed_bytes >= 0) sum = std::max<int64_t>(sum, 0) + op.needed_bytes;
    }
    if (sum >= 0) needed.push_back(static_cast<double>(sum));
  }
  return median(std::move(needed));
}

void add_rates(Cell& cell, const std::vector<const TrialRecord*>& counted) {
  std::vector<double> bytes;
  std::vector<double> files;
  for (const TrialRecord* trial : counted) {
    const auto sum = [&](int64_t OpRecord::*field) {
      int64_t total = 0;
      for (const OpRecord& op : trial->ops) total += op.*field;
      return static_cast<double>(total);
    };
    bytes.push_back(sum(&OpRecord::bytes));
    files.push_back(sum(&OpRecord::files));
  }
  cell.payload_bytes = median(std::move(bytes));
  cell.needed_bytes = needed_bytes_of(counted);
  cell.files = median(std::move(files));
  const double time = cell.seconds.median.value_or(0);
  if (time <= 0) return;
  // Where the readers had most of it already, verified bytes by time are no rate of the wire.
  if (cell.payload_bytes > 0 && !cell.needed_bytes)
    cell.bytes_per_second = *cell.payload_bytes / time;
  if (cell.files > 0) cell.files_per_second = *cell.files / time;
}

std::optional<double> share(const std::optional<double>& rate, double yardstick) {
  if (!rate || yardstick <= 0) return std::nullopt;
  return *rate / yardstick;
}

void add_figures(Cell& cell, const Yardsticks& yardsticks) {
  std::vector<double> seconds;
  std::vector<const TrialRecord*> counted;
  for (const CellTrial& trial : cell.trials) {
    if (!trial.counted()) continue;
    seconds.push_back(*trial.seconds);
    counted.push_back(trial.record);
    add_once(cell.durability, trial.record->durability);
  }
  cell.seconds = summarize(seconds);
  add_rates(cell, counted);
  cell.machines = machine_costs(counted);
  const WireCost wire = wire_cost(counted);
  cell.wire_there_bytes = wire.there_bytes;
  cell.wire_back_bytes = wire.back_bytes;
  if (wire.there_bytes && cell.payload_bytes > 0) {
    cell.overhead = (*wire.there_bytes + *wire.back_bytes) / *cell.payload_bytes;
  }
  if (!counted.empty() && counted[0]->scenario == "resume" && wire.there_bytes &&
      cell.payload_bytes) {
    cell.twice_bytes = std::max(0.0, *wire.there_bytes - *cell.payload_bytes);
  }
  cell.share_of_ceiling = share(cell.bytes_per_second, yardsticks.ceiling);
  cell.share_of_line = share(cell.bytes_per_second, yardsticks.line);
  cell.share_of_stream = share(cell.bytes_per_second, yardsticks.stream);
}

}  // namespace

std::vector<Flag> CellTrial::flags() const {
  std::vector<Flag> all = record->flags;
  if (!contamination.empty() && !has_flag(*record, Flag::contaminated)) {
    all.push_back(Flag::contaminated);
  }
  return all;
}

std::string to_string(CellState state) {
  switch (state) {
    case CellState::verified:
      return "verified";
    case CellState::missing:
      return "not run";
    case CellState::unsupported:
      return "unsupported";
    case CellState::not_measured:
      return "not measured";
    case CellState::source_changed:
      return "source changed";
    case CellState::timed_out:
      return "timed out";
    case CellState::tool_failed:
      return "tool failed";
    case CellState::mismatch:
      return "MISMATCH";
  }
  return "";
}

Cell make_cell(const PlannedCase& plan, const std::string& variant,
               const std::vector<PooledTrial>& trials, const Contamination& contamination,
               const Yardsticks& yardsticks) {
  Cell cell;
  cell.case_name = plan.name;
  cell.variant = variant;
  cell.planned_rounds = plan.rounds;
  if (!trials.empty()) cell.state = CellState::verified;
  for (const PooledTrial& pooled : trials) {
    CellTrial trial{pooled.record,
                    pooled.run,
                    state_of(*pooled.record),
                    "",
                    contamination.reason(pooled),
                    seconds_of(*pooled.record)};
    trial.reason = reason_of(*pooled.record, trial.state);
    cell.state = std::max(cell.state, trial.state);
    add_once(cell.reasons, trial.reason);
    cell.trials.push_back(std::move(trial));
  }
  cell.state_text = state_text_of(cell);
  count_flags(cell);
  add_figures(cell, yardsticks);
  return cell;
}

}  // namespace fairwire
