// The rule that turns an estimate into a verdict (docs/method.md, "Verdicts"): one function, used
// by pages, by `fairwire compare`, and by the simulation that says how often it errs.
// Ratios are times of a variant / times of its baseline; estimates are of their logarithms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/rank_estimate.h"

namespace fairwire {

enum class Finding {
  same,    ///< the interval lies within the threshold
  faster,  ///< the interval lies below it
  slower,  ///< the interval lies above it
  inconclusive,
  under_six,       ///< fewer rounds than a verdict takes
  not_comparable,  ///< other hosts, data, conditions or wires
  not_measured,    ///< no round counts
};

/// Words for pages: "same", "no verdict: under 6 rounds", …
std::string to_string(Finding finding);

inline constexpr double kDefaultThresholdPercent = 5;

/// What an estimate allows to be said. Factors: 1.2 is 20 % more time.
struct Decision {
  Finding finding = Finding::not_measured;
  std::optional<double> ratio;
  std::optional<double> ratio_low;
  std::optional<double> ratio_high;
  std::optional<double> confidence;
  /// A gate's first sign: the ratio beyond the threshold, and above 1 by the one-sided 5 % test.
  /// Weaker than `slower`, so that a slow-down is not missed; a fresh batch must confirm it.
  bool is_flagged = false;
  /// Of inconclusive ones: rounds that a new run would need, were estimate and scatter to stay;
  /// nullopt when it is more than kMostRounds.
  std::optional<int64_t> rounds_to_decide;
  /// The least slowing-down that nine of ten such comparisons would call slower.
  std::optional<double> smallest_visible;
};

inline constexpr int64_t kMostRounds = 1000;  ///< as many as a plan may ask for

/// `rounds` is the n behind the estimate; no estimate: under six, or not measured when 0.
Decision decide(const std::optional<RankEstimate>& log_ratio, size_t rounds,
                double threshold_percent);

/// Whether a flagged cell is a regression: a fresh batch alone puts its ratio beyond the threshold,
/// and both batches together do, with their 95 % interval above 1.
bool is_confirmed(const Decision& fresh, const Decision& both, double threshold_percent);

/// "n = 40 would decide", "more than 1 000 rounds would be needed".
std::string rounds_text(const Decision& decision);
/// "1.042×", kNone without an estimate.
std::string ratio_text(const Decision& decision);
/// "0.993× to 1.101×".
std::string interval_text(const Decision& decision);

}  // namespace fairwire
