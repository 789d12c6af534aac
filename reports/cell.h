// One cell of a page, a variant in a case: its trials, their states, and every figure made of them.
// Invariants: a time is counted only with verdict identical, on a wire within its bounds; what is
// not counted stays visible with its reason; a figure without a sample is nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/controls.h"
#include "reports/cost.h"
#include "reports/pool.h"
#include "reports/stat.h"

namespace fairwire {

/// From good to bad: a cell is as bad as its worst trial.
enum class CellState {
  verified,
  missing,         ///< planned, and no record of it
  unsupported,     ///< the tool cannot do this, and said so before anything ran
  not_measured,    ///< our fault: harness error, wire out of bounds, nothing judged
  source_changed,  ///< the source tree was not the same at the end
  timed_out,
  tool_failed,
  mismatch,  ///< the tool said it was done, and the landed tree is another
};

/// Words for pages: "verified", "MISMATCH", "tool failed", …
std::string to_string(CellState state);

/// One trial as a page shows it.
struct CellTrial {
  const TrialRecord* record;
  size_t run;  ///< index into Pool::runs
  CellState state = CellState::verified;
  std::string reason;             ///< why it is not verified; empty when it is
  std::string contamination;      ///< why its round is contaminated; empty when it is not
  std::optional<double> seconds;  ///< sum of the ops' wall time; shown whatever the state
  bool counted() const { return state == CellState::verified && seconds.has_value(); }
  /// Those of the record, and `contaminated` where its round is.
  std::vector<Flag> flags() const;
};

struct FlagCount {
  Flag flag;
  int64_t trials = 0;
};

struct Cell {
  std::string case_name;
  std::string variant;
  CellState state = CellState::missing;
  std::string state_text;            ///< "MISMATCH (metadata)", "tool failed"
  std::vector<std::string> reasons;  ///< of its trials, each once
  std::vector<CellTrial> trials;     ///< in order of rounds
  int64_t planned_rounds = 0;
  Summary seconds;                      ///< of the counted trials
  std::optional<double> payload_bytes;  ///< verified; the median of the counted trials
  std::optional<double> needed_bytes;   ///< the least that had to move; pull-again, update, …
  std::optional<double> twice_bytes;    ///< of resume: towards the readers, above the payload
  std::optional<double> files;          ///< verified; likewise
  /// Payload / median time; nothing where `needed_bytes` says that less had to move.
  std::optional<double> bytes_per_second;
  std::optional<double> files_per_second;  ///< verified files / median time
  std::vector<MachineCost> machines;
  std::optional<double> wire_there_bytes;  ///< towards the readers; medians
  std::optional<double> wire_back_bytes;
  std::optional<double> overhead;  ///< wire bytes of both directions / payload
  std::optional<double> share_of_ceiling;
  std::optional<double> share_of_line;    ///< of the stated rate, headers and all
  std::optional<double> share_of_stream;  ///< of one raw TCP stream on that wire
  std::vector<FlagCount> flags;
  std::vector<std::string> durability;  ///< each once
};

/// What a case's rates are held against, in bytes/s; 0: not known.
struct Yardsticks {
  double ceiling = 0;
  double line = 0;    ///< the wire's stated rate: whole frames, with preamble and gap
  double stream = 0;  ///< goodput of one raw TCP stream (pipe-1)
};

Cell make_cell(const PlannedCase& plan, const std::string& variant,
               const std::vector<PooledTrial>& trials, const Contamination& contamination,
               const Yardsticks& yardsticks);

}  // namespace fairwire
