// The rule on records: what takes part, what is left out, and what may be said.
#include "reports/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "reports/table.h"
#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

struct Model {
  std::vector<ResultsFile> runs;
  Pool pool;
  Tables tables;
  explicit Model(std::vector<ResultsFile> files)
      : runs(std::move(files)), pool(pool_runs(runs)), tables(make_tables(pool)) {}
  const Comparison& comparison() const { return tables.cases.at(0).comparisons.at(0); }
};

// Rounds of two variants, the second `factor` times as long, both with the same drift.
std::vector<Record> rounds(int64_t n, double factor, const std::string& session = "s1") {
  HeaderRecord head = header({planned("c", n, {"v", "w"})});
  head.session = session;
  std::vector<Record> records{head};
  for (int64_t round = 1; round <= n; ++round) {
    const double base = 10 + 3 * static_cast<double>(round);
    for (const char* variant : {"v", "w"}) {
      TrialRecord trial = pull("c", variant, round, variant[0] == 'v' ? base : base * factor);
      trial.session = session;
      records.push_back(trial);
    }
  }
  return records;
}

TrialRecord& trial_of(std::vector<Record>& records, const std::string& variant, int64_t round) {
  for (Record& record : records) {
    auto* trial = std::get_if<TrialRecord>(&record);
    if (trial != nullptr && trial->variant == variant && trial->round == round) return *trial;
  }
  throw std::logic_error("no such trial");
}

Comparison compared(std::vector<Record> records) {
  return Model({results(std::move(records))}).comparison();
}

void add_kernels(std::vector<Record>& records, const std::vector<double>& seconds_of_rounds) {
  for (size_t i = 0; i < seconds_of_rounds.size(); ++i) {
    TrialRecord kernel = control("kernel", static_cast<int64_t>(i) + 1, seconds_of_rounds[i]);
    kernel.case_name = "c";
    records.push_back(kernel);
  }
}

TEST(Comparison, PairsSeeThroughADrift) {
  const Comparison slower = compared(rounds(6, 1.2));
  EXPECT_EQ(slower.decision.finding, Finding::slower);
  EXPECT_NEAR(*slower.decision.ratio, 1.2, 1e-6);
  EXPECT_EQ(slower.n(), 6u);
  EXPECT_EQ(compared(rounds(6, 0.8)).decision.finding, Finding::faster);
  EXPECT_EQ(compared(rounds(6, 1.03)).decision.finding, Finding::same);
  const Comparison five = compared(rounds(5, 2));
  EXPECT_EQ(five.decision.finding, Finding::under_six);
  EXPECT_FALSE(five.decision.ratio.has_value());
}

TEST(Comparison, OnlyRoundsInWhichBothCountTakePart) {
  std::vector<Record> records = rounds(8, 1.2);
  trial_of(records, "w", 3).flags = {Flag::invalid};
  TrialRecord& failed = trial_of(records, "v", 5);
  failed = ended(failed, Outcome::tool_failed, "exit code 23");
  const Comparison comparison = compared(records);
  EXPECT_EQ(comparison.n(), 6u);
  EXPECT_EQ(comparison.incomplete, 2);
  EXPECT_EQ(comparison.contaminated, 0);
  EXPECT_EQ(rounds_of(comparison), "n = 6, 2 not counted");
}

TEST(Comparison, AControlFarFromItsMedianContaminatesItsRound) {
  std::vector<Record> records = rounds(8, 1.2);
  add_kernels(records, {1, 1.01, 0.99, 1.3, 1, 1.02, 0.98, 1.09});  // 9 % is within 10 %
  const Model model({results(records)});
  EXPECT_EQ(model.comparison().n(), 7u);
  EXPECT_EQ(model.comparison().contaminated, 1);
  const Cell& cell = model.tables.cases[0].cells[0];
  EXPECT_EQ(cell.trials[3].contamination, "kernel 29 % off its median");
  EXPECT_EQ(cell.seconds.n, 8u);  // shown and counted where nothing is compared
  ASSERT_EQ(cell.flags.size(), 1u);
  EXPECT_EQ(cell.flags[0].flag, Flag::contaminated);
}

TEST(Comparison, AControlThatAlwaysScattersAllowsMore) {
  std::vector<Record> records = rounds(8, 1.2);
  add_kernels(records, {1, 1.2, 0.8, 1.3, 0.7, 1.1, 0.9, 1.4});  // its own deviation is 0.2
  EXPECT_EQ(compared(records).contaminated, 0);
}

TEST(Comparison, AFailedControlSaysNothing) {
  std::vector<Record> records = rounds(6, 1.2);
  add_kernels(records, {1, 1, 1, 1, 1, 9});
  std::get<TrialRecord>(records.back()).outcome = Outcome::harness_error;
  EXPECT_EQ(compared(records).contaminated, 0);
}

TEST(Comparison, WhenEveryRoundIsContaminatedNothingWasMeasured) {
  std::vector<Record> records = rounds(6, 1.2);
  for (Record& record : records) {
    if (auto* trial = std::get_if<TrialRecord>(&record)) trial->flags = {Flag::contaminated};
  }
  const Comparison comparison = compared(records);
  EXPECT_EQ(comparison.decision.finding, Finding::not_measured);
  EXPECT_EQ(verdict_text(comparison), "not measured: every round is contaminated");
}

TEST(Comparison, SessionsPoolAsBlocksAndMustNotContradictEachOther) {
  const Model agreeing({results(rounds(6, 1.2, "a")), results(rounds(6, 1.3, "b"))});
  EXPECT_EQ(agreeing.comparison().n(), 12u);
  EXPECT_EQ(agreeing.comparison().decision.finding, Finding::slower);
  ASSERT_EQ(agreeing.comparison().sessions.size(), 2u);
  EXPECT_NEAR(agreeing.comparison().sessions[1].ratio, 1.3, 1e-6);
  const Model opposed({results(rounds(30, 1.3, "a")), results(rounds(2, 0.9, "b"))});
  EXPECT_EQ(opposed.comparison().decision.finding, Finding::inconclusive);
  EXPECT_EQ(opposed.comparison().reason, "sessions disagree");
}

TEST(Comparison, APairNeverSpansTwoSessions) {
  std::vector<Record> records = rounds(6, 1.2);
  trial_of(records, "w", 6).session = "s2";
  EXPECT_EQ(compared(records).n(), 5u);
  EXPECT_EQ(compared(records).incomplete, 2);
}

// Case C20: the same code "slower" because the second sitting drew another CPU.
TEST(Comparison, UnlikeHostsAreNotComparable) {
  std::vector<Record> other = rounds(6, 1.2, "b");
  std::get<HeaderRecord>(other[0]).context = Json::object(
      {{"machines",
        Json::array({Json::object(
            {{"name", "writer"},
             {"host", Json::object({{"cpu", Json::object({{"model", "Example 8"}})}})}})})}});
  const Model model({results(rounds(6, 1.2, "a")), results(other)});
  EXPECT_EQ(model.comparison().decision.finding, Finding::not_comparable);
  EXPECT_EQ(verdict_text(model.comparison()),
            "not comparable: unlike hosts (kernel, CPU, governor or clock source)");
}

TEST(Finding, TheThresholdIsABandAroundNoDifference) {
  const auto finding = [](double low, double high) {
    return decide(RankEstimate{(low + high) / 2, low, high, low, 0.95}, 10, 5).finding;
  };
  EXPECT_EQ(finding(0.05, 0.2), Finding::slower);  // ln 1.05 is 0.0488
  EXPECT_EQ(finding(0.04, 0.2), Finding::inconclusive);
  EXPECT_EQ(finding(-0.2, -0.05), Finding::faster);
  EXPECT_EQ(finding(-0.2, -0.04), Finding::inconclusive);
  EXPECT_EQ(finding(-0.04, 0.04), Finding::same);
  EXPECT_EQ(finding(0.01, 0.04), Finding::same);  // real, and too small to matter
}

TEST(Finding, InconclusiveSaysWhatWouldDecide) {
  // Half 0.1, 0.05 away from the threshold: four times the rounds.
  const double bound = std::log(1.05);
  const Decision decision =
      decide(RankEstimate{bound + 0.05, bound - 0.05, bound + 0.15, 0, 0.95}, 10, 5);
  EXPECT_EQ(decision.finding, Finding::inconclusive);
  EXPECT_NEAR(static_cast<double>(*decision.rounds_to_decide), 40, 1);
  const Decision hopeless = decide(RankEstimate{bound, -0.1, 0.2, -0.1, 0.95}, 10, 5);
  EXPECT_FALSE(hopeless.rounds_to_decide.has_value());
  EXPECT_EQ(rounds_text(hopeless), "more than 1\u202f000 rounds would be needed");
}

}  // namespace
}  // namespace fairwire
