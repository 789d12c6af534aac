// A run that is cut short anywhere goes on where it was: nothing that has a record is repeated,
// nothing that has none is left out, and unlike things are never put into one table.
#include "harness/earlier.h"
#include "harness/schedule.h"
#include "tests/harness/runner_fixture.h"

namespace fairwire {
namespace {

class ResumeTest : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    site_.programs["puller"] = [this](FakeMachine& machine, const ExecSpec& exec) {
      if (exec.argv.size() >= 3) ++pulls_;
      return pulls()(machine, exec);
    };
    add_tool("good", "puller");
    add_tool("other", "puller");
    whole_ = run(R"("good", "other")", "", 3);
    text_ = read_file(whole_.folder + "/results.jsonl", 1 << 24);
    pulls_ = 0;
  }

  // Where each line ends.
  std::vector<size_t> borders() const {
    std::vector<size_t> ends;
    for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
      ends.push_back(at + 1);
    }
    return ends;
  }

  void cut(size_t bytes) {
    write_file(whole_.folder + "/results.jsonl", text_.substr(0, bytes));
    pulls_ = 0;
  }

  void expect_whole(size_t cut_at) {
    std::map<std::string, int> cells;
    std::set<int64_t> numbers;
    for (const TrialRecord& trial : trials()) {
      ++cells[trial.variant];
      numbers.insert(trial.trial);
      EXPECT_EQ(trial.verdict, Verdict::identical) << trial.reason;
    }
    EXPECT_EQ(cells, (std::map<std::string, int>{{"good", 3}, {"other", 3}})) << cut_at;
    EXPECT_EQ(numbers.size(), 6u);
    const auto* end = std::get_if<EndRecord>(&results_.records.back());
    ASSERT_NE(end, nullptr);
    EXPECT_EQ(end->status, "complete");
  }

  std::string refusal() {
    try {
      resume(whole_.folder);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  }

  RunResult whole_;
  std::string text_;
  int pulls_ = 0;
};

TEST_F(ResumeTest, WhateverTheLastRecordLostTheRunIsWholeAfterwards) {
  const std::vector<size_t> ends = borders();
  std::vector<size_t> cuts(ends.begin(), ends.end() - 1);
  const size_t last_trial = ends[ends.size() - 3];  // trial, calibration, end
  for (size_t at = ends[ends.size() - 4]; at < last_trial; at += 211) cuts.push_back(at);
  cuts.push_back(last_trial - 1);
  cuts.push_back(0);
  for (const size_t at : cuts) {
    cut(at);
    const auto recorded = [&] {
      int count = 0;
      for (const Record& record : parse_results(text_.substr(0, at), "cut").records) {
        count += std::holds_alternative<TrialRecord>(record) ? 1 : 0;
      }
      return count;
    }();
    EXPECT_EQ(resume(whole_.folder).code, ExitCode::good);
    expect_whole(at);
    EXPECT_EQ(pulls_, 6 - recorded) << "nothing that has a record is run again; cut at " << at;
  }
}

TEST_F(ResumeTest, EveryByteOfTheLastRecordIsEitherAWholeTrialOrNone) {
  const std::vector<size_t> ends = borders();
  const Plan plan = load_plan(whole_.folder + "/plan.json");
  const TestbedSpec testbed = load_testbed(whole_.folder + "/testbed.json");
  const auto schedule = make_schedule(plan);
  const size_t begin = ends[ends.size() - 4];
  const size_t end = ends[ends.size() - 3];
  for (size_t at = begin; at <= end; ++at) {
    const Earlier earlier =
        read_earlier(parse_results(text_.substr(0, at), "cut"), plan, testbed, schedule);
    EXPECT_EQ(earlier.trials.size(), at == end ? 6u : 5u) << at;
    EXPECT_FALSE(earlier.complete);
  }
}

TEST_F(ResumeTest, ATornLineIsSetAsideAndNoted) {
  const size_t end = borders().at(3);
  cut(end + 40);
  resume(whole_.folder);
  EXPECT_EQ(read_file(whole_.folder + "/results.torn", 1 << 20), text_.substr(end, 40) + "\n");
  bool is_noted = false;
  for (const Record& record : results_.records) {
    const auto* note = std::get_if<NoteRecord>(&record);
    is_noted =
        is_noted || (note != nullptr && note->text.find("results.torn") != std::string::npos);
  }
  EXPECT_TRUE(is_noted);
}

TEST_F(ResumeTest, EachSittingIsASessionOfItsOwn) {
  cut(borders().at(3));
  resume(whole_.folder);
  std::vector<std::string> sessions;
  for (const Record& record : results_.records) {
    if (const auto* header = std::get_if<HeaderRecord>(&record))
      sessions.push_back(header->session);
  }
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[1], sessions[0] + "/2");
  EXPECT_EQ(trials().back().session, sessions[1]);
}

TEST_F(ResumeTest, ACompleteRunHasNothingLeftButItsReport) {
  write_file(whole_.folder + "/report/index.html", "");
  told_.clear();
  EXPECT_EQ(resume(whole_.folder).code, ExitCode::good);
  EXPECT_EQ(pulls_, 0);
  EXPECT_NE(told_.find("nothing is left"), std::string::npos) << told_;
  EXPECT_GT(read_file(whole_.folder + "/report/index.html", 1 << 24).size(), 1000u);
  EXPECT_EQ(read_file(whole_.folder + "/results.jsonl", 1 << 24), text_) << "nothing is appended";
}

TEST_F(ResumeTest, WithoutTheFilesItWasBegunFrom) {
  cut(borders().at(3));
  for (const char* name : {"/tools", "/specs", "/plan.json", "/testbed.json"}) {
    remove_tree(folder_.path() + name);
  }
  EXPECT_EQ(resume(whole_.folder).code, ExitCode::good);
  expect_whole(0);
}

TEST_F(ResumeTest, AnotherPlanToolOrScheduleIsRefusedAndNothingIsRecorded) {
  cut(borders().at(3));
  const std::string before = read_file(whole_.folder + "/results.jsonl", 1 << 24);
  const std::string tool = whole_.folder + "/tools/good.json";
  const std::string tool_text = read_file(tool, 1 << 20);
  write_file(tool, replace(tool_text, "\"n\"", "\"other notes\""));
  EXPECT_NE(refusal().find("file_digest of good"), std::string::npos) << refusal();
  write_file(tool, tool_text);
  const std::string plan = whole_.folder + "/plan.json";
  const std::string plan_text = read_file(plan, 1 << 20);
  write_file(plan, replace(plan_text, "\"rounds\": 3", "\"rounds\": 4"));
  EXPECT_NE(refusal().find("is not the plan"), std::string::npos) << refusal();
  write_file(plan, plan_text);
  const std::string testbed = whole_.folder + "/testbed.json";
  const std::string testbed_text = read_file(testbed, 1 << 20);
  write_file(testbed, testbed_text + "\n");
  EXPECT_NE(refusal().find("is not the testbed"), std::string::npos) << refusal();
  write_file(testbed, testbed_text);
  const ResultsWriter holder(whole_.folder + "/results.jsonl");
  EXPECT_NE(refusal().find("another fairwire is writing"), std::string::npos) << refusal();
  EXPECT_EQ(read_file(whole_.folder + "/results.jsonl", 1 << 24), before);
}

}  // namespace
}  // namespace fairwire
