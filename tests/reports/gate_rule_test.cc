// How often the gate errs, by seeded simulation: docs/method.md has the large table, this test the
// promise. Bounds stand well clear of what 2 000 simulated gates scatter by.
#include <gtest/gtest.h>

#include "tests/perf/gate_simulation.h"

namespace fairwire::gate_simulation {
namespace {

constexpr size_t kTimes = 2'000;

TEST(GateRule, FalseAlarmsAreAtMostOnePercent) {
  for (const Weather& weather : kWeathers) {
    EXPECT_LE(rates_of(weather, 10, kTimes, 1).false_alarms, 0.01) << weather.name;
  }
}

TEST(GateRule, TwentyPercentIsSeenNineTimesInTen) {
  for (const Weather& weather : kWeathers) {
    const bool is_wildest = weather.noise > 0.07 && weather.spike_share > 0;  // takes 20 rounds
    EXPECT_GE(rates_of(weather, is_wildest ? 20 : 10, kTimes, 1).power, 0.90) << weather.name;
  }
}

// The reason for all this: one after the other, a drift is a difference.
TEST(GateRule, SequentialRunsCallIdenticalProgramsDifferent) {
  const Rates rates = rates_of({"drift", 0.05, 0.015, 0}, 10, kTimes, 1);
  EXPECT_GE(rates.naive_by_test, 0.10);
  EXPECT_LE(rates.one_batch, 0.01);
}

}  // namespace
}  // namespace fairwire::gate_simulation
