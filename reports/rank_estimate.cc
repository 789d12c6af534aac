#include "reports/rank_estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "reports/stat.h"

namespace fairwire {
namespace {

constexpr double kTail = 0.025;
constexpr double kOneSidedTail = 0.05;
constexpr size_t kExactPairs = 100;  // counting takes n^3 steps
constexpr size_t kExactBoth = 60;    // both samples together; counting takes n^4 steps
constexpr double kNormalQuantile = 1.959963984540054;           // of 1 - kTail
constexpr double kOneSidedNormalQuantile = 1.6448536269514722;  // of 1 - kOneSidedTail

struct Depth {
  size_t k = 0;
  double tail = 0;         // P(statistic < k)
  size_t one_sided_k = 0;  // of kOneSidedTail
};

// From the number of cases for each value of the statistic, lowest first.
Depth depth_of(const std::vector<double>& cases, double all) {
  Depth depth;
  double below = 0;
  for (const double count : cases) {
    below += count;
    if (below / all > kOneSidedTail) break;
    ++depth.one_sided_k;
    if (below / all > kTail) continue;
    ++depth.k;
    depth.tail = below / all;
  }
  return depth;
}

// With the correction for continuity.
Depth normal_depth(double mean, double variance) {
  const auto depth = [&](double quantile) {
    return static_cast<size_t>(std::max(0.0, mean + 0.5 - quantile * std::sqrt(variance)));
  };
  return {depth(kNormalQuantile), kTail, depth(kOneSidedNormalQuantile)};
}

// T+ is the sum of a subset of 1 … n, every subset equally likely.
Depth signed_rank(size_t n) {
  const auto count = static_cast<double>(n);
  if (n > kExactPairs) {
    return normal_depth(count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24);
  }
  std::vector<double> subsets(n * (n + 1) / 2 + 1);
  subsets[0] = 1;
  for (size_t rank = 1; rank <= n; ++rank) {
    for (size_t sum = subsets.size() - 1; sum >= rank; --sum) subsets[sum] += subsets[sum - rank];
  }
  return depth_of(subsets, std::ldexp(1, static_cast<int>(n)));
}

// U counts the pairs in which b is the smaller one: subsets of a of the a + b ranks, by their sum.
Depth rank_sum(size_t a, size_t b) {
  const auto m = static_cast<double>(a);
  const auto n = static_cast<double>(b);
  if (a + b > kExactBoth) return normal_depth(m * n / 2, m * n * (m + n + 1) / 12);
  const size_t sums = a * b + 1;
  std::vector<std::vector<double>> ways(a + 1, std::vector<double>(sums));
  ways[0][0] = 1;
  for (size_t rank = 1; rank <= a + b; ++rank) {
    for (size_t taken = std::min(a, rank); taken >= 1; --taken) {
      const size_t steps = rank - taken;  // that the taken-th rank lies above its lowest place
      for (size_t sum = sums; sum-- > steps;) ways[taken][sum] += ways[taken - 1][sum - steps];
    }
  }
  double all = 0;
  for (const double count : ways[a]) all += count;
  return depth_of(ways[a], all);
}

// Doubles in their order as whole numbers, so that bisection ends at one of them exactly.
uint64_t ordinal(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return bits >> 63 != 0 ? ~bits : bits | uint64_t{1} << 63;
}

double from_ordinal(uint64_t place) {
  return std::bit_cast<double>(place >> 63 != 0 ? place & ~(uint64_t{1} << 63) : ~place);
}

// The k-th smallest (from 1) of values of which only the number at or below a bound is known.
template <typename Count>
double select(size_t k, double lowest, double highest, const Count& at_or_below) {
  uint64_t low = ordinal(lowest);
  uint64_t high = ordinal(highest);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (at_or_below(from_ordinal(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return from_ordinal(low) + 0.0;  // never -0
}

// All pairwise values of one or two samples, sorted without being written out.
template <typename Count>
struct Pairwise {
  size_t total;
  double lowest;
  double highest;
  Count at_or_below;

  double at(size_t k) const { return select(k, lowest, highest, at_or_below); }
  double median() const {
    const double middle = at((total + 1) / 2);
    return total % 2 == 1 ? middle : middle + (at(total / 2 + 1) - middle) / 2;
  }
  RankEstimate estimate(const Depth& depth) const {
    return {median(), at(depth.k), at(total + 1 - depth.k), at(depth.one_sided_k),
            1 - 2 * depth.tail};
  }
};
template <typename Count>  // clang 14 does not deduce it from an aggregate
Pairwise(size_t, double, double, Count)->Pairwise<Count>;

// Rounded sums of sorted values are sorted as well: as i grows, the last fitting j only falls.
auto walsh_averages(const std::vector<double>& x) {
  const auto at_or_below = [&x](double bound) {
    size_t found = 0;
    size_t end = x.size();  // of the j that fit
    for (size_t i = 0; i < x.size(); ++i) {
      while (end > i && (x[i] + x[end - 1]) / 2 > bound) --end;
      if (end <= i) break;
      found += end - i;
    }
    return found;
  };
  return Pairwise{x.size() * (x.size() + 1) / 2, x.front(), x.back(), at_or_below};
}

auto pair_differences(const std::vector<double>& a, const std::vector<double>& b) {
  const auto at_or_below = [&a, &b](double bound) {
    size_t found = 0;
    size_t end = 0;
    for (const double from : a) {
      while (end < b.size() && b[end] - from <= bound) ++end;
      found += end;
    }
    return found;
  };
  return Pairwise{a.size() * b.size(), b.front() - a.back(), b.back() - a.front(), at_or_below};
}

}  // namespace

double RankEstimate::half_width() const {
  return std::max(value - low, high - value);
}

size_t signed_rank_depth(size_t n) {
  return signed_rank(n).k;
}

size_t rank_sum_depth(size_t a, size_t b) {
  return rank_sum(a, b).k;
}

std::optional<double> hodges_lehmann(std::vector<double> differences) {
  if (differences.empty()) return std::nullopt;
  std::ranges::sort(differences);
  return walsh_averages(differences).median();
}

std::optional<RankEstimate> signed_rank_estimate(std::vector<double> differences) {
  if (differences.size() < kRoundsForVerdict) return std::nullopt;
  std::ranges::sort(differences);
  return walsh_averages(differences).estimate(signed_rank(differences.size()));
}

std::optional<RankEstimate> rank_sum_estimate(std::vector<double> a, std::vector<double> b) {
  if (std::min(a.size(), b.size()) < kRoundsForVerdict) return std::nullopt;
  std::ranges::sort(a);
  std::ranges::sort(b);
  return pair_differences(a, b).estimate(rank_sum(a.size(), b.size()));
}

}  // namespace fairwire
