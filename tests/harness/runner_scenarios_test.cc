// Scenarios that land nothing, and the index, on fakes.
#include "tests/harness/runner_fixture.h"

namespace fairwire {
namespace {

constexpr char kEveryWay[] = R"json({
  "schema": 1, "name": "all", "version": {"argv": ["puller"], "match": "(.)"},
  "can": ["pull", "list", "connect", "idle"], "notes": "n",
  "listing": {"match": "^([0-9]+) (.*)$"},
  "writer": {"index": [["maker", "index"]], "serve": ["server"]},
  "reader": {"pull": ["puller", "{source}", "{tree}"], "list": ["lister"], "connect": ["caller"]}})json";

TEST_F(RunnerTest, AListIsHeldAgainstTheNamesAndSizesOfTheSource) {
  std::string text = "303 nothing\n";
  site_.programs["lister"] = [&text](FakeMachine& reader, const ExecSpec& exec) {
    reader.files()[exec.stdout_path] = text;
    return ends_with(0)(reader, exec);
  };
  write_file(folder_.path() + "/tools/all.json", kEveryWay);
  scenario_ = "list";
  run("\"all\"");
  EXPECT_EQ(trials()[0].verdict, Verdict::different);
  EXPECT_EQ(trials()[0].verdicts.at(0).missing, 3);
  text = "101 c\n101 a\n101 b\n";
  run("\"all\"");
  EXPECT_EQ(trials()[0].verdict, Verdict::identical);
  EXPECT_EQ(trials()[0].ops.at(0).files, 3);
  EXPECT_EQ(trials()[0].ops.at(0).bytes, 0) << "nothing landed";
}

TEST_F(RunnerTest, TenConnectionsNobodyAnsweredAreNoConnections) {
  site_.programs["caller"] = ends_with(0);
  write_file(folder_.path() + "/tools/all.json", kEveryWay);
  scenario_ = "connect";
  run("\"all\"");
  EXPECT_EQ(trials()[0].ops.size(), 10u);
  EXPECT_EQ(trials()[0].verdict, Verdict::unknown) << "this machine counts no connections";
  site_.answers = true;
  run("\"all\"");
  EXPECT_EQ(trials()[0].verdict, Verdict::identical);
  site_.programs["caller"] = [this](FakeMachine& reader, const ExecSpec& exec) {
    site_.answers = false;
    return ends_with(0)(reader, exec);
  };
  run("\"all\"");
  EXPECT_EQ(trials()[0].verdict, Verdict::different) << "it said 0, and nobody answered";
}

TEST_F(RunnerTest, IdleLooksOnForItsTimeAndTheTreeMustStay) {
  write_file(folder_.path() + "/tools/all.json", kEveryWay);
  scenario_ = "idle";
  run("\"all\"", R"(, "idle_s": 7)");
  const TrialRecord trial = trials()[0];
  EXPECT_EQ(trial.outcome, Outcome::tool_failed) << "this server has ended: it would win";
  EXPECT_NE(trial.reason.find("serve ended while"), std::string::npos) << trial.reason;
  ASSERT_EQ(trial.ops.size(), 1u);
  EXPECT_GE(trial.ops[0].wall_ns, 7'000'000'000);
  EXPECT_EQ(trial.ops[0].bytes, 0);
  EXPECT_EQ(phases(trial).at(4), "warm_up");
  site_.servers_go_on = true;
  run("\"all\"", R"(, "idle_s": 7)");
  EXPECT_EQ(trials()[0].outcome, Outcome::completed) << trials()[0].reason;
  EXPECT_EQ(trials()[0].verdict, Verdict::identical);
}

TEST_F(RunnerTest, AWarmIndexIsMadeBeforeTheClockAndItsCostIsKept) {
  write_file(folder_.path() + "/tools/all.json", kEveryWay);
  run("\"all\"");
  EXPECT_EQ(trials()[0].machines.at(0).prepare_wall_ns, 0);
  EXPECT_EQ(std::count(site_.log.begin(), site_.log.end(), "writer start all-writer-index1"), 0);
  run("\"all\"", R"(, "conditions": {"index": "warm"})");
  const TrialRecord trial = trials()[0];
  EXPECT_EQ(trial.verdict, Verdict::identical);
  ASSERT_EQ(trial.machines.at(0).role, "writer");
  EXPECT_GE(trial.machines[0].prepare_wall_ns, 5'000'000);
  EXPECT_EQ(std::count(site_.log.begin(), site_.log.end(), "writer start all-writer-index1"), 1);
}

}  // namespace
}  // namespace fairwire
