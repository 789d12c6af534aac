// Hodges–Lehmann estimates with exact distribution-free intervals, for paired and for independent
// samples. Sources: Hodges and Lehmann, "Estimates of location based on rank tests", 1963 (the
// estimates); Tukey's and Moses' intervals from the inverted signed-rank and rank-sum tests, as in
// Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", sections 3.3 and 4.3.
// Invariant: no interval where its confidence cannot be reached; time O(n log n), memory O(n).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fairwire {

/// A location with its 95 % interval, in the unit of the sample.
struct RankEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double one_sided_low = 0;  ///< below which the truth lies in 5 % of such samples at most
  double confidence = 0;     ///< that the interval really has: at least 0.95 while it is exact
  /// The larger of the two halves: how far the truth may be off.
  double half_width() const;
};

/// Of one sample of differences: the median of all Walsh averages (x_i + x_j) / 2, i ≤ j, and the
/// signed-rank interval. nullopt below 6 values: 5 reach 93.75 % at most.
std::optional<RankEstimate> signed_rank_estimate(std::vector<double> differences);

/// Of the shift from `a` to `b`: the median of all b_j − a_i, and the rank-sum interval. nullopt
/// when either has fewer than 6 values, as everywhere in this room.
std::optional<RankEstimate> rank_sum_estimate(std::vector<double> a, std::vector<double> b);

/// The point alone, of any number of values; nullopt of none.
std::optional<double> hodges_lehmann(std::vector<double> differences);

/// How many order statistics from either end the interval lies: the largest k with
/// P(statistic < k) ≤ 0.025 under the null hypothesis: by counting every equally likely case, up to
/// 100 pairs or 60 values of both samples; by the normal approximation beyond. 0: there is none.
size_t signed_rank_depth(size_t n);
size_t rank_sum_depth(size_t a, size_t b);

}  // namespace fairwire
