// The check of `make percost` on work that is counted, so that it says the same on every machine.
#include "tests/perf/cost_exponent.h"

#include <gtest/gtest.h>

#include "tests/perf/rate_windows.h"

namespace fairwire {
namespace {

template <typename Cost>
double exponent_of(const Cost& cost, int64_t n = 400) {
  std::vector<std::pair<int64_t, double>> points;
  for (const int64_t pieces : {n, 8 * n, 64 * n}) {
    points.emplace_back(pieces, static_cast<double>(cost(pieces)));
  }
  return cost_exponent(points);
}

TEST(CostExponent, KnownShapes) {
  EXPECT_NEAR(exponent_of([](int64_t n) { return 7 * n; }), 1, 1e-9);
  EXPECT_NEAR(exponent_of([](int64_t n) { return n * n; }), 2, 1e-9);
  EXPECT_NEAR(exponent_of([](int64_t) { return 5; }), 0, 1e-9);
  const auto sorting = [](int64_t n) {
    return static_cast<double>(n) * std::log2(static_cast<double>(n));
  };
  EXPECT_LE(exponent_of(sorting), kMostExponent);  // a logarithm passes
}

TEST(CostExponent, TheWindowSummedWholeIsCaught) {
  EXPECT_GT(exponent_of(work_of_reports<SummedWindow>), 1.8);
  EXPECT_GT(exponent_of(work_of_reports<SummedWindow>), kMostExponent);
}

TEST(CostExponent, TheWindowOfBucketsPasses) {
  EXPECT_LE(exponent_of(work_of_reports<BucketWindow>), kMostExponent);
}

TEST(CostExponent, BothWindowsMeasureTheSameRate) {
  SummedWindow summed;
  BucketWindow buckets;
  int64_t a = 0, b = 0;
  for (int64_t i = 0; i < 5'000; ++i) {  // past the first window
    a = summed.note(std::chrono::milliseconds(i), 1000);
    b = buckets.note(std::chrono::milliseconds(i), 1000);
  }
  EXPECT_NEAR(static_cast<double>(b), static_cast<double>(a), 0.07 * static_cast<double>(a));
}

}  // namespace
}  // namespace fairwire
