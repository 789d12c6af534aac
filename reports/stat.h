// Statistics over the rounds of one cell. Small samples are the rule here: every figure says how it
// came about, nothing is made up for n = 0, spread needs two values and percentiles need twenty.
// Invariant: a value without a sample is nullopt; no sentinel, no NaN.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fairwire {

/// Below this many rounds there is no verdict, and pages say so.
inline constexpr size_t kRoundsForVerdict = 6;
inline constexpr size_t kSamplesForPercentile = 20;

struct Summary {
  size_t n = 0;
  std::optional<double> median;
  std::optional<double> minimum;
  std::optional<double> maximum;
  /// Median absolute deviation from the median, not scaled; nullopt for n < 2.
  std::optional<double> mad;
  std::optional<double> p95;  ///< nullopt for n < 20
};

Summary summarize(const std::vector<double>& values);

/// The middle value; of an even number of values the mean of the two middle ones.
std::optional<double> median(std::vector<double> values);

/// Nearest rank: the smallest value with at least `share` of all values at or below it, for
/// 0 < share <= 1. nullopt below 20 values.
std::optional<double> percentile(std::vector<double> values, double share);

/// How the median of n values came about, in words: "no value", "single run", "mean of two",
/// "median of 5", "median of 6 (mean of the two middle values)".
std::string median_label(size_t n);

/// Whether the ranges of two samples have a value in common; true when either is empty, because
/// then nothing sets them apart.
bool ranges_overlap(const Summary& a, const Summary& b);

}  // namespace fairwire
