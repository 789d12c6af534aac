#include "drivers/wires/service_curve.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/rng.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Work bits(int64_t count) {
  return Work{count} * 1'000'000'000;
}

TEST(ServiceCurve, StepsAreIntegratedAndInverted) {
  const ServiceCurve curve =
      ServiceCurve::from_steps({{seconds(0), 1000}, {seconds(1), 0}, {seconds(3), 500}}, {});
  EXPECT_TRUE(curve.work_at(milliseconds(500)) == bits(500));
  EXPECT_TRUE(curve.work_at(seconds(2)) == bits(1000)) << "nothing is sent meanwhile";
  EXPECT_TRUE(curve.work_at(seconds(5)) == bits(2000));
  EXPECT_EQ(curve.time_of(bits(500)), milliseconds(500));
  EXPECT_EQ(curve.time_of(bits(1000)), seconds(1));
  EXPECT_EQ(curve.time_of(bits(1001)), seconds(3) + milliseconds(2)) << "over the outage";
  EXPECT_EQ(curve.time_of(bits(2000)), seconds(5)) << "the last rate holds";
}

TEST(ServiceCurve, APeriodRepeats) {
  const ServiceCurve curve =
      ServiceCurve::from_steps({{seconds(0), 100}, {seconds(1), 300}}, seconds(2));
  EXPECT_EQ(curve.mean_bits_per_second(), 200);
  EXPECT_TRUE(curve.work_at(seconds(2000) + milliseconds(500)) == bits(400'000 + 50));
  EXPECT_EQ(curve.time_of(bits(400'000 + 50)), seconds(2000) + milliseconds(500));
  EXPECT_EQ(curve.time_of(bits(400'000)), seconds(2000));
}

TEST(ServiceCurve, DeliveriesHappenAtTheirMomentsOnly) {
  const ServiceCurve curve =
      ServiceCurve::from_opportunities({milliseconds(5), milliseconds(5), milliseconds(20)}, 1500);
  EXPECT_TRUE(curve.work_at(milliseconds(4)) == bits(0));
  EXPECT_TRUE(curve.work_at(milliseconds(5)) == bits(2 * 12'000));
  EXPECT_EQ(curve.time_of(bits(1)), milliseconds(5));
  EXPECT_EQ(curve.time_of(bits(24'000)), milliseconds(5));
  EXPECT_EQ(curve.time_of(bits(24'001)), milliseconds(20));
  EXPECT_EQ(curve.time_of(bits(36'001)), milliseconds(25)) << "the next round";
  EXPECT_EQ(curve.mean_bits_per_second(), 1'800'000);
}

TEST(ServiceCurve, TimeOfWorkIsTheEarliestThatHasIt) {
  Rng rng(3);
  std::vector<ServiceCurve::Step> steps;
  for (int i = 0; i < 200; ++i) {
    const auto rate = static_cast<int64_t>(rng.next() % 5) * 777'777;
    steps.push_back({i * milliseconds(10), rate});
  }
  const ServiceCurve curve = ServiceCurve::from_steps(steps, seconds(2));
  for (int i = 0; i < 2000; ++i) {
    const Work work = bits(static_cast<int64_t>(rng.next() % 100'000'000));
    const Nanoseconds time = curve.time_of(work);
    ASSERT_TRUE(curve.work_at(time) >= work);
    if (time > Nanoseconds::zero()) {
      ASSERT_TRUE(curve.work_at(time - Nanoseconds(1)) < work);
    }
  }
}

TEST(ServiceCurve, WhatNeverSendsOrRunsBackIsRefused) {
  using Steps = std::vector<ServiceCurve::Step>;
  EXPECT_THROW(ServiceCurve::from_steps({}, {}), std::invalid_argument);
  EXPECT_THROW(ServiceCurve::from_steps(Steps{{seconds(1), 5}}, {}), std::invalid_argument);
  EXPECT_THROW(ServiceCurve::from_steps(Steps{{seconds(0), 5}, {seconds(1), 0}}, {}),
               std::invalid_argument);
  EXPECT_THROW(ServiceCurve::from_steps(Steps{{seconds(0), 0}}, seconds(1)), std::invalid_argument);
  EXPECT_THROW(ServiceCurve::from_steps(Steps{{seconds(0), 5}, {seconds(0), 6}}, {}),
               std::invalid_argument);
  EXPECT_THROW(ServiceCurve::from_opportunities({}, 1500), std::invalid_argument);
  EXPECT_THROW(ServiceCurve::from_opportunities({seconds(2), seconds(1)}, 1500),
               std::invalid_argument);
}

}  // namespace
}  // namespace fairwire
