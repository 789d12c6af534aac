// The order of everything, decided before anything runs: pure, from the plan and its seed.
// Rounds are outermost, so that slow drift of the machine falls on every case and tool alike;
// inside a round of a case the controls come first, then the variants in balanced order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "harness/plan.h"

namespace fairwire {

struct PlannedTrial {
  int64_t trial = 0;  ///< from 1
  size_t case_index = 0;
  std::string variant;
  bool control = false;
  int64_t round = 0;  ///< from 1
  int64_t order = 0;  ///< place among the variants of its round, from 1; 0 for a control
};

/// The order of `count` variants in each of `rounds` rounds: A B, B A, … for two; for more the
/// rows of a Williams design (1949: each variant stands equally often in each place and, for an
/// even count, behind each other one), relabelled and shuffled by the seed.
std::vector<std::vector<size_t>> balanced_orders(size_t count, int64_t rounds, uint64_t seed);

std::vector<PlannedTrial> make_schedule(const Plan& plan);

/// A rough duration from sizes and wires, printed before the run: it need not be right, it must
/// tell minutes from hours.
struct CaseSize {
  int64_t bytes = 0;
  int64_t files = 0;
  int64_t wire_bytes_per_second = 0;  ///< of the wire's theory; 0: no bound
  Nanoseconds round_trip{};
};
Nanoseconds expected_duration(const std::vector<PlannedTrial>& schedule,
                              const std::vector<CaseSize>& sizes);

}  // namespace fairwire
