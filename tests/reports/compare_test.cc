// Two runs, or two variants of one, summed up to one answer.
#include "reports/compare.h"

#include <gtest/gtest.h>

#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

// `times`: seconds of each variant, scattered by a permille a round so that no two are alike.
ResultsFile run_of(const std::vector<std::pair<std::string, double>>& times, int64_t n = 8) {
  std::vector<std::string> variants;
  for (const auto& [variant, time] : times) variants.push_back(variant);
  std::vector<Record> records{header({planned("c", n, variants)})};
  for (int64_t round = 1; round <= n; ++round) {
    for (const auto& [variant, time] : times) {
      records.push_back(
          pull("c", variant, round, time * (1 + 0.001 * static_cast<double>(round * 7 % 5))));
    }
  }
  return results(std::move(records));
}

TEST(Compare, TwoRunsAreUnpairedAndSayWhichCellsOnlyOneHas) {
  const CompareReport report =
      compare_runs({run_of({{"v", 10}, {"old", 1}})}, {run_of({{"v", 13}, {"new", 1}})}, 5);
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_FALSE(report.lines[0].paired);
  EXPECT_TRUE(report.has(Finding::slower));
  EXPECT_NEAR(*report.lines[0].decision.ratio, 1.3, 0.01);
  EXPECT_FALSE(report.is_unfit());
  EXPECT_EQ(report.warnings,
            (std::vector<std::string>{"c, new: only in AFTER", "c, old: only in BEFORE"}));
  EXPECT_NE(render_compare(report).find("a drift between them"), std::string::npos);
}

TEST(Compare, TheSameRunTwiceIsTheSame) {
  const ResultsFile run = run_of({{"v", 10}});
  EXPECT_TRUE(compare_runs({run}, {run}, 5).has(Finding::same));
}

// Case C20.
TEST(Compare, ARunOfAnotherHostIsNotComparable) {
  const ResultsFile before = run_of({{"v", 10}});
  ResultsFile after = run_of({{"v", 12.1}});
  auto& head = std::get<HeaderRecord>(after.records[0]);
  head.context = Json::parse(
      R"json({"machines": [{"name": "writer", "host": {"kernel": "6.1", "cpu": {"model": "B"}}}]})json",
      "context");
  const CompareReport report = compare_runs({before}, {after}, 5);
  EXPECT_TRUE(report.has(Finding::not_comparable));
  EXPECT_FALSE(report.has(Finding::slower));
  EXPECT_TRUE(report.is_unfit());
  EXPECT_NE(render_compare(report).find("not comparable: unlike hosts"), std::string::npos);
}

// Case C31, and its like: other conditions, other data, another wire.
TEST(Compare, OtherCircumstancesAreNotComparable) {
  const auto changed = [](void (*change)(TrialRecord&)) {
    ResultsFile after = run_of({{"v", 10}});
    for (Record& record : after.records) {
      if (auto* trial = std::get_if<TrialRecord>(&record)) change(*trial);
    }
    return compare_runs({run_of({{"v", 10}})}, {after}, 5).lines.at(0).reason;
  };
  EXPECT_EQ(changed([](TrialRecord& trial) { trial.conditions.set("congestion", "bbr"); }),
            "different conditions");
  EXPECT_EQ(changed([](TrialRecord& trial) { trial.dataset_digest = digest_of('e'); }),
            "different data sets");
  EXPECT_EQ(changed([](TrialRecord& trial) { trial.wire = "other"; }), "different wires");
}

TEST(Compare, VariantsOfOneRunArePaired) {
  const std::vector<ResultsFile> run = {run_of({{"v", 10}, {"w", 9}, {"x", 10.1}})};
  EXPECT_TRUE(compare_variants(run, {"v", "w"}, {}).has(Finding::faster));
  EXPECT_TRUE(compare_variants(run, {"v", "x"}, {}).has(Finding::same));
  const CompareReport first_two = compare_variants(run, {}, {});
  EXPECT_EQ(first_two.lines.at(0).variant, "w");
  const CompareReport none = compare_variants(run, {"v", "z"}, {});
  EXPECT_TRUE(none.lines.empty());
  EXPECT_TRUE(none.is_unfit());
}

TEST(Compare, AnUnlikePairOfTheSameProgramMakesTheRunUnfit) {
  const CompareOptions options{5, {{"t@a", "t@b"}}};
  const CompareReport calm = compare_variants({run_of({{"t@a", 10}, {"new", 10}, {"t@b", 10.1}})},
                                              {"t@a", "new"}, options);
  EXPECT_EQ(calm.same_pairs.at(0).decision.finding, Finding::same);
  EXPECT_FALSE(calm.is_unfit());
  const CompareReport unfit =
      compare_variants({run_of({{"t@a", 10}, {"new", 10}, {"t@b", 12}})}, {"t@a", "new"}, options);
  EXPECT_TRUE(unfit.is_unfit());
  EXPECT_NE(render_compare(unfit).find("different from itself"), std::string::npos);
  // Asked for itself, either way round.
  const std::vector<ResultsFile> run = {run_of({{"t@a", 10}, {"t@b", 12}})};
  EXPECT_TRUE(compare_variants(run, {}, options).is_unfit());
  EXPECT_TRUE(compare_variants(run, {"t@b", "t@a"}, options).is_unfit());
}

TEST(Compare, AFlaggedCellStandsOnlyWhenAFreshBatchSaysSoToo) {
  const auto gate = [](double first, double second) {
    const ResultsFile a = run_of({{"v", 10}, {"w", first}});
    const ResultsFile b = run_of({{"v", 10}, {"w", second}});
    const auto compared = [](const std::vector<ResultsFile>& runs) {
      return compare_variants(runs, {}, {});
    };
    return confirmed(compared({a}), compared({b}), compared({a, b}));
  };
  EXPECT_TRUE(gate(12, 12).has(Finding::slower));
  EXPECT_EQ(gate(12, 12).lines[0].n(), 16u);
  const CompareReport alarm = gate(12, 10);
  EXPECT_FALSE(alarm.has(Finding::slower));
  EXPECT_EQ(verdict_text(alarm.lines[0]),
            "inconclusive: flagged, and not confirmed by a fresh batch (1.000×)");
  EXPECT_TRUE(gate(10, 12).has(Finding::same));  // nothing to confirm
}

TEST(Compare, MismatchesAreCounted) {
  ResultsFile after = run_of({{"v", 10}});
  auto& trial = std::get<TrialRecord>(after.records[1]);
  trial = mismatched(trial, &VerdictRecord::content, {"content", "a", "", ""});
  EXPECT_EQ(compare_runs({run_of({{"v", 10}})}, {after}, 5).mismatched, 1);
}

TEST(Compare, NamesFromOutsideCannotDriveTheTerminal) {
  const ResultsFile run = run_of({{kHostileName, 10}, {"w", 10}});
  const std::string text = render_compare(compare_variants({run}, {}, {}));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace fairwire
