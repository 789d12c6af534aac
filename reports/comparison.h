// Two variants of one case held against each other (docs/method.md): round by round where they
// were measured in the same rounds, as two independent samples where they were not.
// Invariants: a time takes part only when it is counted and its round is not contaminated; what
// was left out is counted here; sessions are blocks, a pair never spans two of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/cell.h"
#include "reports/finding.h"
#include "reports/pool.h"

namespace fairwire {

/// The estimate of one session alone, to show how far sessions agree.
struct SessionRatio {
  std::string run;
  std::string session;
  size_t n = 0;
  double ratio = 1;
};

struct Comparison {
  std::string case_name;
  std::string baseline;
  std::string variant;
  bool paired = true;
  Summary baseline_seconds;  ///< of the rounds that take part
  Summary variant_seconds;
  Decision decision;
  double threshold_percent = kDefaultThresholdPercent;
  int64_t contaminated = 0;  ///< rounds (unpaired: trials) left out for that alone
  int64_t incomplete = 0;    ///< rounds (unpaired: trials) in which something was not counted
  std::vector<SessionRatio> sessions;  ///< of paired ones
  std::string reason;                  ///< why there is no verdict, or a weaker one

  size_t n() const;  ///< pairs; the smaller sample of unpaired ones
};

/// Both cells of one pool.
Comparison compare_paired(const Pool& pool, const Cell& baseline, const Cell& variant,
                          double threshold_percent);

/// A cell of one pool and its counterpart in another: two samples that share no round. Weaker, as
/// a drift between the runs cannot be told from a difference.
Comparison compare_unpaired(const Pool& before_pool, const Cell& before, const Pool& after_pool,
                            const Cell& after, double threshold_percent);

/// "n = 10", with what was left out.
std::string rounds_of(const Comparison& comparison);
/// The verdict in words, with the n that would decide or the reason.
std::string verdict_text(const Comparison& comparison);

}  // namespace fairwire
