#include "reports/stat.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fairwire {
namespace {

std::vector<double> first_numbers(size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Stat, NoSampleHasNoValueOfAnyKind) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.n, 0u);
  EXPECT_FALSE(summary.median || summary.minimum || summary.maximum || summary.mad || summary.p95);
  EXPECT_EQ(median_label(0), "no value");
}

TEST(Stat, ASingleRunHasNoSpread) {
  const Summary summary = summarize({31.5});
  EXPECT_EQ(summary.median, 31.5);
  EXPECT_EQ(summary.minimum, 31.5);
  EXPECT_FALSE(summary.mad.has_value());
  EXPECT_EQ(median_label(1), "single run");
}

TEST(Stat, TheMedianOfTwoIsTheirMeanAndSaysSo) {
  EXPECT_EQ(summarize({4, 1}).median, 2.5);
  EXPECT_EQ(summarize({4, 1}).mad, 1.5);
  EXPECT_EQ(median_label(2), "mean of two");
}

TEST(Stat, TheMedianOfThreeIsTheMiddleOne) {
  EXPECT_EQ(summarize({100, 1, 2}).median, 2);
  EXPECT_EQ(summarize({100, 1, 2}).mad, 1);
  EXPECT_EQ(median_label(3), "median of 3");
}

TEST(Stat, TheMedianOfSixIsLabelled) {
  EXPECT_EQ(summarize({6, 1, 5, 2, 4, 3}).median, 3.5);
  EXPECT_EQ(median_label(6), "median of 6 (mean of the two middle values)");
}

TEST(Stat, PercentilesNeedTwentyValues) {
  EXPECT_FALSE(summarize(first_numbers(3)).p95.has_value());
  EXPECT_FALSE(summarize(first_numbers(19)).p95.has_value());
  EXPECT_EQ(summarize(first_numbers(20)).p95, 19);
  EXPECT_EQ(percentile(first_numbers(20), 1.0), 20);
  EXPECT_EQ(percentile(first_numbers(100), 0.5), 50);
}

TEST(Stat, RangesThatTouchOverlap) {
  EXPECT_FALSE(ranges_overlap(summarize({1, 2}), summarize({3, 4})));
  EXPECT_TRUE(ranges_overlap(summarize({1, 3}), summarize({3, 4})));
  EXPECT_TRUE(ranges_overlap(summarize({1, 9}), summarize({3, 4})));
  EXPECT_TRUE(ranges_overlap(summarize({}), summarize({3, 4})));
}

}  // namespace
}  // namespace fairwire
