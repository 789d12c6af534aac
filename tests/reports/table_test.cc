#include "reports/table.h"

#include <gtest/gtest.h>

#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

// Keeps the records that a model refers to.
struct Model {
  std::vector<ResultsFile> runs;
  Pool pool;
  Tables tables;

  explicit Model(std::vector<ResultsFile> files)
      : runs(std::move(files)), pool(pool_runs(runs)), tables(make_tables(pool)) {}
  const Cell& cell(size_t index = 0, size_t of_case = 0) const {
    return tables.cases.at(of_case).cells.at(index);
  }
};

Model model_of(std::vector<Record> records) {
  return Model({results(std::move(records))});
}

Model one_cell(std::vector<TrialRecord> trials) {
  std::vector<Record> records{header({planned("c", static_cast<int64_t>(trials.size()), {"v"})})};
  records.insert(records.end(), trials.begin(), trials.end());
  return model_of(std::move(records));
}

TEST(Table, AVerifiedCellHasItsFigures) {
  const Model model = one_cell({pull("c", "v", 1, 30, 100), pull("c", "v", 2, 34, 100)});
  const Cell& cell = model.cell();
  EXPECT_EQ(cell.state_text, "verified");
  EXPECT_EQ(cell.seconds.median, 32);
  EXPECT_EQ(cell.bytes_per_second, 4e6);
  EXPECT_EQ(cell.files_per_second, 100.0 / 32);
  EXPECT_EQ(cell.wire_there_bytes, 134e6);
  EXPECT_EQ(cell.wire_back_bytes, 2e6);
  EXPECT_EQ(cell.overhead, 136.0 / 128);
  ASSERT_EQ(cell.machines.size(), 2u);
  EXPECT_EQ(cell.machines[1].cpu_total_s, 1.1);
  EXPECT_EQ(cell.machines[1].peak_anonymous_bytes, 31 << 20);
  EXPECT_EQ(cell.machines[1].largest_rss_bytes, 48 << 20);
  EXPECT_FALSE(cell.machines[0].largest_rss_bytes.has_value());
}

TEST(Table, ValuesStandInTheOrderOfRounds) {
  const Model model = one_cell({pull("c", "v", 3, 3), pull("c", "v", 1, 1), pull("c", "v", 2, 2)});
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(model.cell().trials[i].record->round, int64_t(i) + 1);
}

TEST(Table, TheTimeOfATrialIsTheSumOfItsOps) {
  TrialRecord trial = pull("c", "v", 1, 10);
  trial.ops.push_back(trial.ops[0]);
  EXPECT_EQ(one_cell({trial}).cell().seconds.median, 20);
}

// Everything that is not verified is branded, keeps its time, and counts in nothing.
TEST(Table, WhatIsNotVerifiedIsInNoStatistic) {
  const auto sized = [](Outcome outcome) { return ended(pull("c", "v", 1, 9), outcome, "why"); };
  TrialRecord late = pull("c", "v", 1, 9);
  late.flags = {Flag::invalid};
  TrialRecord unjudged = pull("c", "v", 1, 9);
  unjudged.verdict = Verdict::unknown;
  const DifferenceRecord difference{"content", "a", "", ""};
  const std::vector<std::pair<TrialRecord, std::string>> bad = {
      {sized(Outcome::tool_failed), "tool failed"},
      {sized(Outcome::timed_out), "timed out"},
      {sized(Outcome::source_changed), "source changed"},
      {sized(Outcome::harness_error), "not measured"},
      {late, "not measured"},
      {unjudged, "not measured"},
      {mismatched(pull("c", "v", 1, 9), &VerdictRecord::content, difference), "MISMATCH (content)"},
      {mismatched(pull("c", "v", 1, 9), &VerdictRecord::file_set, difference),
       "MISMATCH (file set)"},
      {mismatched(pull("c", "v", 1, 9), &VerdictRecord::metadata, difference),
       "MISMATCH (metadata)"},
  };
  for (const auto& [trial, text] : bad) {
    const Model model = one_cell({trial, pull("c", "v", 2, 30)});
    const Cell& cell = model.cell();
    EXPECT_EQ(cell.state_text, text);
    EXPECT_EQ(cell.seconds.n, 1u) << text;
    EXPECT_EQ(cell.seconds.median, 30) << text;
    EXPECT_EQ(cell.trials[0].seconds, 9) << text;
    EXPECT_FALSE(cell.trials[0].counted()) << text;
    ASSERT_EQ(cell.reasons.size(), 1u) << text;
  }
}

TEST(Table, UnsupportedHasNoTimeAndMissingNoTrial) {
  const Model model = model_of({header({planned("c", 2, {"v", "w"})}),
                                ended(pull("c", "v", 1, 0), Outcome::unsupported, "cannot")});
  EXPECT_EQ(model.cell(0).state_text, "unsupported");
  EXPECT_FALSE(model.cell(0).trials[0].seconds.has_value());
  EXPECT_EQ(model.cell(1).state_text, "not run");
  EXPECT_EQ(model.cell(1).seconds.n, 0u);
}

TEST(Table, AContaminatedTrialIsFlaggedAndCounted) {
  TrialRecord trial = pull("c", "v", 1, 9);
  trial.flags = {Flag::contaminated};
  const Model model = one_cell({trial, trial});
  EXPECT_EQ(model.cell().seconds.n, 2u);
  ASSERT_EQ(model.cell().flags.size(), 1u);
  EXPECT_EQ(model.cell().flags[0].trials, 2);
}

// Case B33: what a tool says of itself is not asked; ours never exceeds 100 %.
// A tree that nobody read is not verified, and its time in no statistic.
TEST(Table, WithoutFullCoverageNothingIsVerified) {
  TrialRecord trial = pull("c", "v", 1, 9);
  trial.verdicts[0].content = trial.verdict = Verdict::unknown;
  trial.verdicts[0].wanted_files = 35;
  trial.verdicts[0].verified_files = 34;
  const auto cell = one_cell({trial}).cell();
  EXPECT_EQ(cell.state, CellState::not_measured);
  EXPECT_NE(cell.reasons[0].find("reader: 1 of 35 files were not read on both sides"),
            std::string::npos);
}

TEST(Table, ReasonsNameEveryProperty) {
  TrialRecord trial = mismatched(pull("c", "v", 1, 9), &VerdictRecord::metadata, {});
  trial.verdicts[0].different = 0;
  trial.verdicts[0].properties = {{"sparse", 2, 1}, {"xattr", 3, 3}, {"owner", 4, 0}};
  EXPECT_NE(one_cell({trial}).cell().reasons[0].find(
                "verified, 1 with filled holes, 3 with other attributes"),
            std::string::npos);
}

TEST(Table, ReasonsCountWhatOurVerifierFound) {
  TrialRecord trial = mismatched(pull("c", "v", 1, 9), &VerdictRecord::content, {});
  trial.verdicts[0].verified_bytes = 0;
  trial.verdicts[0].missing = 3;
  trial.verdicts[0].different = 1664;
  EXPECT_EQ(one_cell({trial}).cell().reasons[0],
            "reader: 2 entries wanted, 0.0 % of the bytes verified, 3 missing, "
            "1\u202f664 different");
}

TEST(Table, WithoutPairsTheReadersInterfacesCount) {
  TrialRecord trial = pull("c", "v", 1, 9);
  trial.wires.clear();
  EXPECT_FALSE(one_cell({trial}).cell().overhead.has_value());  // nothing was seen: not 0
  trial.machines[1].received_bytes = 130;
  trial.machines[1].sent_bytes = 7;
  EXPECT_EQ(one_cell({trial}).cell().wire_there_bytes, 130);
  EXPECT_EQ(one_cell({trial}).cell().wire_back_bytes, 7);
}

TEST(Table, ReadersThatHelpEachOtherAreTowardsReaders) {
  TrialRecord trial = pull("c", "v", 1, 9);
  trial.machines.push_back(machine("second", 1, 1, 1));
  trial.machines.back().role = "reader";
  trial.wires = {{"writer", "reader", 10, 1, 0},
                 {"reader", "second", 20, 1, 0},
                 {"second", "writer", 3, 1, 0}};
  const Model model = one_cell({trial});
  EXPECT_EQ(model.cell().wire_there_bytes, 30);
  EXPECT_EQ(model.cell().wire_back_bytes, 3);
}

TEST(Table, WithoutReadersThePayloadLeavesTheWriter) {
  TrialRecord trial = pull("c", "v", 1, 9);
  trial.machines = {machine("writer", 1, 1, 1), machine("store", 1, 1, 1)};
  trial.wires = {{"writer", "store", 100, 1, 0}, {"store", "writer", 5, 1, 0}};
  const Model model = one_cell({trial});
  EXPECT_EQ(model.cell().wire_there_bytes, 100);
  EXPECT_EQ(model.cell().wire_back_bytes, 5);
}

TEST(Table, TheCeilingIsTheSmallerOfTheoryAndSixteenStreams) {
  std::vector<Record> records{header({planned("c", 1, {"v"})}), pull("c", "v", 1, 32),
                              control("pipe-1", 1, 20), control("pipe-16", 1, 8),
                              control("pipe-16", 2, 8)};
  TrialRecord failed = control("pipe-16", 3, 1);
  failed.outcome = Outcome::harness_error;
  records.emplace_back(failed);
  const Model measured = model_of(records);
  EXPECT_EQ(measured.tables.cases[0].ceiling->bytes_per_second, 5e6);
  EXPECT_EQ(measured.tables.cases[0].ceiling->basis, "pipe-16, mean of two");
  EXPECT_EQ(measured.cell().share_of_ceiling, 0.8);
  ASSERT_EQ(measured.tables.controls.size(), 2u);
  EXPECT_EQ(measured.tables.controls[1].not_counted, 1);

  records.emplace_back(CalibrationRecord{"s1", "before", "away", "within bounds", "",
                                         Json::object({{"theory_bytes_per_second", 4'000'000}})});
  const Model bounded = model_of(records);
  EXPECT_EQ(bounded.tables.cases[0].ceiling->basis, "theory of the wire");
  EXPECT_EQ(bounded.cell().share_of_ceiling, 1.0);
}

// Case C28, and DESIGN 10: no order where ranges overlap, no verdict under six rounds.
std::string standing(size_t rounds, double first, double second) {
  std::vector<Record> records{header({planned("c", static_cast<int64_t>(rounds), {"v", "w"})})};
  for (size_t round = 1; round <= rounds; ++round) {
    records.push_back(pull("c", "v", static_cast<int64_t>(round), first + 0.1 * double(round)));
    records.push_back(pull("c", "w", static_cast<int64_t>(round), second + 0.1 * double(round)));
  }
  return model_of(std::move(records)).tables.cases[0].standing;
}

TEST(Table, NoVerdictUnderSixRounds) {
  for (const size_t rounds : {1u, 2u, 3u, 5u}) {
    EXPECT_EQ(standing(rounds, 1, 100),
              "No verdict: it takes 6 rounds, and v has " + std::to_string(rounds) + ".");
  }
  EXPECT_EQ(standing(0, 1, 1), "No verdict: no variant is verified in every round.");
}

TEST(Table, VerdictsArePairedAndInWords) {
  EXPECT_EQ(standing(6, 10, 10.1), "Against v, round by round: w same (1.010×).");
  EXPECT_EQ(standing(6, 100, 1), "Against v, round by round: w faster (0.013×).");
  EXPECT_EQ(standing(20, 1, 100).substr(0, 36), "Against v, round by round: w slower ");
}

TEST(Table, RangesThatOverlapAreNotOrderedWithoutAVerdict) {
  std::vector<Record> records{header({planned("c", 6, {"v", "w", "x"})})};
  for (int64_t round = 1; round <= 6; ++round) {
    const double drift = 0.1 * static_cast<double>(round);
    records.push_back(pull("c", "v", round, 10 + drift));
    records.push_back(pull("c", "w", round, 13 + drift));
    records.push_back(pull("c", "x", round, 13.2 + drift));
  }
  EXPECT_EQ(model_of(std::move(records)).tables.cases[0].standing,
            "Against v, round by round: w slower (1.290×); x slower (1.309×). The ranges of single "
            "values overlap, so no order is claimed between: w and x.");
}

TEST(Pool, RunsOfOnePlanAddTheirRounds) {
  const auto run = [](const std::string& name, double wall) {
    HeaderRecord first = header({planned("c", 2, {"v"})});
    first.run = name;
    return results({first, pull("c", "v", 1, wall), pull("c", "v", 2, wall),
                    EndRecord{"s1", "", "complete", 2}});
  };
  const Model model({run("a", 1), run("b", 2)});
  EXPECT_EQ(model.cell().planned_rounds, 4);
  EXPECT_EQ(model.cell().seconds.n, 4u);
  EXPECT_EQ(model.cell().trials[3].run, 1u);
  EXPECT_TRUE(model.pool.warnings.empty());
}

TEST(Pool, AResumedRunDoesNotPlanTwice) {
  const HeaderRecord first = header({planned("c", 2, {"v"})});
  const Model model = model_of({first, pull("c", "v", 1, 1), first, pull("c", "v", 2, 1),
                                EndRecord{"s2", "", "complete", 1}});
  EXPECT_EQ(model.cell().planned_rounds, 2);
  EXPECT_TRUE(model.pool.warnings.empty());
}

TEST(Pool, WhatThePlanDoesNotKnowComesAfterIt) {
  const Model model = model_of(
      {header({planned("c", 1, {"v"})}), pull("c", "stray", 1, 1), pull("other", "v", 1, 1)});
  ASSERT_EQ(model.tables.cases.size(), 2u);
  EXPECT_EQ(model.cell(1, 0).variant, "stray");
  EXPECT_EQ(model.tables.cases[1].plan.name, "other");
}

TEST(Pool, WhatDoesNotBelongTogetherIsAWarning) {
  HeaderRecord second = header({planned("c", 1, {"v"})});
  second.plan_digest = digest_of('9');
  second.context = Json::object(
      {{"machines", Json::array({Json::object({{"host", Json::object({{"kernel", "5.10"}})}})})}});
  TrialRecord other_data = pull("c", "v", 2, 1);
  other_data.dataset_digest = digest_of('e');
  other_data.conditions = nullptr;
  ResultsFile torn = results({second, other_data});
  torn.torn_bytes = 12;
  const Model model({results({header({planned("c", 1, {"v"})}), pull("c", "v", 1, 1)}), torn});
  std::string all;
  for (const std::string& warning : model.pool.warnings) all += warning + "\n";
  for (const char* part : {"was interrupted: 1 of 1 planned trial", "torn", "2 different data sets",
                           "different conditions", "2 different plan files", "different hosts"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " in\n" << all;
  }
}

}  // namespace
}  // namespace fairwire
