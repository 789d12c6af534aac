#include "harness/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace fairwire {
namespace {

Plan plan_of(size_t variants, int64_t rounds) {
  Plan plan;
  plan.seed = 7;
  CaseSpec spec;
  spec.controls = {"pipe-1"};
  spec.name = "case";
  spec.rounds = rounds;
  for (size_t i = 0; i < variants; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    spec.variants.push_back({name, name, {}, {}});
  }
  plan.cases = {spec};
  return plan;
}

TEST(BalancedOrders, TwoVariantsGoAbBaBaAb) {
  const auto orders = balanced_orders(2, 8, 1);
  ASSERT_EQ(orders.size(), 8u);
  for (size_t i = 0; i < 8; i += 4) {
    EXPECT_EQ(orders[i], orders[i + 3]);
    EXPECT_EQ(orders[i + 1], orders[i + 2]);
    EXPECT_NE(orders[i], orders[i + 1]);
  }
}

TEST(BalancedOrders, EveryRoundHoldsEveryVariantOnce) {
  for (size_t count = 1; count <= 7; ++count) {
    for (std::vector<size_t> order : balanced_orders(count, 9, 3)) {
      std::sort(order.begin(), order.end());
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(order.at(i), i);
    }
  }
}

TEST(BalancedOrders, EveryVariantStandsEquallyOftenInEveryPlace) {
  for (const size_t count : {3u, 4u, 5u, 6u}) {
    const size_t block = count % 2 == 0 ? count : 2 * count;
    std::map<std::pair<size_t, size_t>, size_t> places;
    std::map<std::pair<size_t, size_t>, size_t> followers;
    for (const auto& order : balanced_orders(count, static_cast<int64_t>(block), 11)) {
      for (size_t place = 0; place < count; ++place) {
        ++places[{place, order[place]}];
        if (place > 0) ++followers[{order[place - 1], order[place]}];
      }
    }
    for (const auto& [place, times] : places) EXPECT_EQ(times, block / count) << count;
    EXPECT_EQ(followers.size(), count * (count - 1)) << "each follows each other one";
    for (const auto& [pair, times] : followers) EXPECT_EQ(times, block / count) << count;
  }
}

TEST(Schedule, SameSeedSameOrderAnotherSeedAnother) {
  const auto names = [](uint64_t seed) {
    Plan plan = plan_of(5, 10);
    plan.seed = seed;
    std::string all;
    for (const PlannedTrial& trial : make_schedule(plan)) all += trial.variant + " ";
    return all;
  };
  EXPECT_EQ(names(1), names(1));
  EXPECT_NE(names(1), names(2));
}

TEST(Schedule, ControlsComeFirstInEveryRoundAndTrialsAreNumberedFromOne) {
  const auto schedule = make_schedule(plan_of(3, 2));
  ASSERT_EQ(schedule.size(), 8u);
  for (size_t i = 0; i < schedule.size(); ++i) {
    EXPECT_EQ(schedule[i].trial, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(schedule[i].control, i % 4 == 0);
    EXPECT_EQ(schedule[i].round, i < 4 ? 1 : 2);
    EXPECT_EQ(schedule[i].order, static_cast<int64_t>(i % 4));
  }
}

TEST(Schedule, RoundsAreOutermostAndACaseMayHaveFewer) {
  Plan plan = plan_of(1, 1);
  plan.cases[0].controls.clear();
  plan.cases.push_back(plan.cases[0]);
  plan.cases[1].name = "second";
  plan.cases[1].rounds = 2;
  const auto schedule = make_schedule(plan);
  ASSERT_EQ(schedule.size(), 3u);
  EXPECT_EQ(schedule[0].case_index, 0u);
  EXPECT_EQ(schedule[1].case_index, 1u);
  EXPECT_EQ(schedule[2].case_index, 1u);
  EXPECT_EQ(schedule[2].round, 2);
}

TEST(ExpectedDuration, TellsMinutesFromHours) {
  const auto schedule = make_schedule(plan_of(3, 3));
  CaseSize fast{256 << 20, 1, 0, {}};
  CaseSize slow{256 << 20, 100'000, 5'000'000, std::chrono::milliseconds(80)};
  EXPECT_LT(expected_duration(schedule, {fast}), std::chrono::minutes(2));
  EXPECT_GT(expected_duration(schedule, {slow}), std::chrono::hours(1));
}

}  // namespace
}  // namespace fairwire
