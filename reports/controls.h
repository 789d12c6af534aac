// The controls of the rounds: what the wire and the host could do at that hour, and which rounds
// they say were disturbed. Records stay raw: contamination is derived here, from all rounds.
// Invariant: a disturbed round stays in sight; only estimates leave it out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "reports/pool.h"

namespace fairwire {

/// One control on one wire.
struct ControlRow {
  std::string wire;
  std::string control;
  std::vector<double> seconds;           ///< every value, in order of rounds
  std::vector<double> bytes_per_second;  ///< empty when it moved no bytes
  int64_t not_counted = 0;               ///< trials that failed or ran on an invalid wire
};

inline constexpr std::string_view kCeilingControl = "pipe-16";
inline constexpr std::string_view kStreamControl = "pipe-1";

/// By wire, then pipe-1, pipe-16, kernel, others.
std::vector<ControlRow> control_rows(const Pool& pool);

/// A control has left its bounds when it is further from its own median than both of these.
inline constexpr double kControlShare = 0.10;  ///< of the median
inline constexpr double kControlMads = 3;      ///< median absolute deviations

/// Rounds in which a control left its bounds. Its median and deviation are those of the same
/// control in the same session, case and wire; a control that failed says nothing.
class Contamination {
 public:
  Contamination() = default;
  explicit Contamination(const Pool& pool);
  /// Why the round of a trial is contaminated; empty when it is not.
  std::string reason(const PooledTrial& trial) const;

 private:
  using Round = std::tuple<size_t, std::string, std::string, int64_t>;  // run, session, case, round
  std::map<Round, std::string> reasons_;
};

}  // namespace fairwire
