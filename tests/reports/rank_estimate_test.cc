// The estimates against plain enumeration, and against critical values of published tables.
#include "reports/rank_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "reports/stat.h"

namespace fairwire {
namespace {

std::vector<double> draws(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values(n);
  for (double& value : values) value = static_cast<double>(rng.below(2000)) / 100 - 10;
  return values;
}

std::vector<double> walsh_averages(const std::vector<double>& x) {
  std::vector<double> all;
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t j = i; j < x.size(); ++j) all.push_back((x[i] + x[j]) / 2);
  }
  std::ranges::sort(all);
  return all;
}

// Two-sided 5 %: the largest T that is significant, plus one (Wilcoxon's table of 1945 and its
// successors: 0, 2, 3, 5, 8 for n = 6 … 10; 52 for 20; 434 for 50).
TEST(RankEstimate, SignedRankDepthsAreThoseOfTheTables) {
  for (const size_t n : {0u, 1u, 2u, 5u}) EXPECT_EQ(signed_rank_depth(n), 0u) << n;
  const std::vector<std::pair<size_t, size_t>> table = {{6, 1},  {7, 3},   {8, 4},   {9, 6},
                                                        {10, 9}, {20, 53}, {50, 435}};
  for (const auto& [n, depth] : table) EXPECT_EQ(signed_rank_depth(n), depth) << n;
}

// Mann and Whitney's U, two-sided 5 %, plus one: U = 0 at 4 × 4, 5 at 6 × 6, 23 at 10 × 10,
// 127 at 20 × 20, 14 at 6 × 11.
TEST(RankEstimate, RankSumDepthsAreThoseOfTheTables) {
  EXPECT_EQ(rank_sum_depth(3, 3), 0u);
  EXPECT_EQ(rank_sum_depth(4, 4), 1u);
  EXPECT_EQ(rank_sum_depth(6, 6), 6u);
  EXPECT_EQ(rank_sum_depth(10, 10), 24u);
  EXPECT_EQ(rank_sum_depth(20, 20), 128u);
  EXPECT_EQ(rank_sum_depth(6, 11), rank_sum_depth(11, 6));
}

TEST(RankEstimate, TheApproximationMeetsTheExactCount) {
  const size_t step = signed_rank_depth(101) - signed_rank_depth(100);
  EXPECT_GE(step, 35u);  // depths grow by 40 a value there
  EXPECT_LE(step, 45u);
  const size_t sums = rank_sum_depth(30, 31) - rank_sum_depth(30, 30);
  EXPECT_GE(sums, 8u);  // by 12
  EXPECT_LE(sums, 16u);
}

TEST(RankEstimate, PairedEqualsPlainEnumeration) {
  for (const size_t n : {6u, 7u, 10u, 33u, 120u}) {
    const std::vector<double> x = draws(n, n);
    const auto made = signed_rank_estimate(x);
    ASSERT_TRUE(made.has_value());
    const std::vector<double> all = walsh_averages(x);
    const size_t k = signed_rank_depth(n);
    EXPECT_DOUBLE_EQ(made->value, *median(all)) << n;
    EXPECT_DOUBLE_EQ(made->low, all[k - 1]) << n;
    EXPECT_DOUBLE_EQ(made->high, all[all.size() - k]) << n;
    EXPECT_GE(made->confidence, 0.95);
  }
}

TEST(RankEstimate, UnpairedEqualsPlainEnumeration) {
  for (const size_t n : {6u, 9u, 40u, 77u}) {
    const std::vector<double> a = draws(n, n);
    const std::vector<double> b = draws(n + 1, n + 1000);
    std::vector<double> all;
    for (const double from : a) {
      for (const double to : b) all.push_back(to - from);
    }
    std::ranges::sort(all);
    const auto made = rank_sum_estimate(a, b);
    ASSERT_TRUE(made.has_value());
    const size_t k = rank_sum_depth(n, n + 1);
    EXPECT_DOUBLE_EQ(made->value, *median(all)) << n;
    EXPECT_DOUBLE_EQ(made->low, all[k - 1]) << n;
    EXPECT_DOUBLE_EQ(made->high, all[all.size() - k]) << n;
  }
}

TEST(RankEstimate, SixDecideAndFiveDoNot) {
  const auto six = signed_rank_estimate({1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
  EXPECT_EQ(six->value, 3.5);
  EXPECT_EQ(six->half_width(), 2.5);
  EXPECT_EQ(six->confidence, 1 - 2.0 / 64);
  EXPECT_FALSE(signed_rank_estimate({1, 2, 3, 4, 5}).has_value());
  EXPECT_FALSE(rank_sum_estimate({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6}).has_value());
  EXPECT_FALSE(signed_rank_estimate({}).has_value());
  EXPECT_FALSE(hodges_lehmann({}).has_value());
  EXPECT_EQ(hodges_lehmann({2}), 2);
  EXPECT_EQ(hodges_lehmann({1, 2, 6}), 2.75);  // of 1, 1.5, 2, 3.5, 4, 6
}

TEST(RankEstimate, ConstantsHaveNoWidth) {
  const auto paired = signed_rank_estimate(std::vector<double>(8, -0.25));
  EXPECT_EQ(paired->low, -0.25);
  EXPECT_EQ(paired->high, -0.25);
  const auto zero = signed_rank_estimate(std::vector<double>(8, 0.0));
  EXPECT_EQ(zero->value, 0);
  EXPECT_FALSE(std::signbit(zero->value));
}

// One value gone wild moves neither the estimate nor an interval of ten.
TEST(RankEstimate, ASpikeMovesLittle) {
  std::vector<double> x = {-.02, -.01, -.005, 0, .001, .004, .008, .01, .015, .02};
  const auto calm = signed_rank_estimate(x);
  x.back() = 3;
  const auto spiked = signed_rank_estimate(x);
  EXPECT_LT(std::abs(spiked->value - calm->value), 0.005);
  EXPECT_LT(spiked->low, 0);
}

}  // namespace
}  // namespace fairwire
