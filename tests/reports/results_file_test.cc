#include "reports/results_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

#include "base/error.h"
#include "base/temp_dir.h"
#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

class ResultsFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ResultsWriter writer(path_);
    writer.append(header({planned("pull-large", 2, {"rsync-ssh"})}));
    writer.append(pull("pull-large", "rsync-ssh", 1, 28.1));
    whole_ = read_file(path_, 1 << 20);
    writer.append(pull("pull-large", "rsync-ssh", 2, 28.4));
    both_ = read_file(path_, 1 << 20);
  }

  std::string reason_of(const std::string& bytes, const std::string& pointer) {
    try {
      parse_results(bytes, "results.jsonl");
    } catch (const FormatError& error) {
      EXPECT_EQ(error.pointer, pointer);
      EXPECT_EQ(error.file, "results.jsonl");
      return error.reason;
    }
    return "no error";
  }

  TempDir folder_{"results-test", "/dev/shm"};  // thousands of fsyncs
  std::string path_ = folder_.path() + "/results.jsonl";
  std::string whole_;  // header and one trial
  std::string both_;   // and a second trial
};

TEST_F(ResultsFileTest, ReadsWhatWasAppended) {
  const ResultsFile results = read_results(path_);
  ASSERT_EQ(results.records.size(), 3u);
  EXPECT_EQ(results.torn_bytes, 0);
  EXPECT_EQ(std::get<TrialRecord>(results.records[2]).ops[0].wall_ns, 28'400'000'000);
}

TEST_F(ResultsFileTest, GoingOnWithAWholeFileKeepsIt) {
  ResultsWriter writer(path_);
  EXPECT_EQ(writer.torn(), "");
  EXPECT_EQ(read_file(path_, 1 << 20), both_);
}

// Case C16: a crash may cut the last record at any byte.
TEST_F(ResultsFileTest, EveryCutOfTheLastRecordIsTornOnce) {
  for (size_t cut = whole_.size() + 1; cut < both_.size(); ++cut) {
    write_file(path_, both_.substr(0, cut));
    const ResultsFile before = read_results(path_);
    ASSERT_EQ(before.torn_bytes, static_cast<int64_t>(cut - whole_.size()));
    ASSERT_EQ(before.records.size(), 2u);

    ResultsWriter writer(path_);
    ASSERT_EQ(writer.torn(), both_.substr(whole_.size(), cut - whole_.size()));
    writer.append(pull("pull-large", "rsync-ssh", 2, 30));
    const ResultsFile after = read_results(path_);
    ASSERT_EQ(after.torn_bytes, 0);
    ASSERT_EQ(after.records.size(), 3u);
    ASSERT_EQ(std::get<TrialRecord>(after.records[2]).ops[0].wall_ns, 30'000'000'000);
  }
}

TEST_F(ResultsFileTest, ATornHeaderLeavesAnEmptyRun) {
  write_file(path_, "{\"type\":\"head");
  const ResultsFile results = read_results(path_);
  EXPECT_TRUE(results.records.empty());
  EXPECT_EQ(results.torn_bytes, 13);
  write_file(path_, "");
  EXPECT_TRUE(read_results(path_).records.empty());
}

TEST_F(ResultsFileTest, TheTornLineMayBeLongerThanABlock) {
  write_file(path_, whole_ + std::string(200'000, 'x'));
  EXPECT_EQ(ResultsWriter(path_).torn().size(), 200'000u);
  EXPECT_EQ(read_file(path_, 1 << 20), whole_);
}

TEST_F(ResultsFileTest, ABadLineInTheMiddleIsAnErrorWithItsNumber) {
  const std::string tail = both_.substr(whole_.size());
  EXPECT_EQ(reason_of(whole_ + "{\"type\":\n" + tail, "line 3").substr(0, 7), "column ");
  EXPECT_EQ(reason_of(whole_ + "\n" + tail, "line 3").substr(0, 7), "column ");
  EXPECT_EQ(reason_of(whole_ + "{\"type\":\"rumour\"}\n", "line 3"),
            "/type: unknown record type \"rumour\"");
  EXPECT_EQ(reason_of(whole_ + "[]\n", "line 3"), "must be an object");
  EXPECT_EQ(reason_of(tail, "line 1"), "the first record must be a header");
}

TEST_F(ResultsFileTest, ALineOverSixteenMebibytesIsRefused) {
  const std::string long_line = whole_ + "\"" + std::string((16 << 20) + 1, 'x');
  EXPECT_EQ(reason_of(long_line, "line 3"), "longer than 16777216 bytes");
  EXPECT_EQ(reason_of(long_line + "\"\n", "line 3"), "longer than 16777216 bytes");
}

TEST_F(ResultsFileTest, ARecordOutOfBoundsIsNotWritten) {
  ResultsWriter writer(path_);
  TrialRecord trial = pull("pull-large", "rsync-ssh", 3, 1);
  trial.ops[0].wall_ns = -5;
  EXPECT_THROW(writer.append(trial), std::range_error);
  EXPECT_EQ(read_file(path_, 1 << 20), both_);
}

TEST_F(ResultsFileTest, AnAppendThatFailedHalfWayIsCutOffByTheNext) {
  ResultsWriter writer(path_);
  open_file(path_, O_WRONLY | O_APPEND).write_all("{\"type\":\"tri");  // what a full disk left
  writer.append(NoteRecord{"s1", "2026-11-30T22:04:00Z", "info", "space again"});
  const ResultsFile results = read_results(path_);
  EXPECT_EQ(results.records.size(), 4u);
  EXPECT_EQ(results.torn_bytes, 0);
}

TEST_F(ResultsFileTest, TwoWritersAreRefused) {
  ResultsWriter writer(path_);
  EXPECT_THROW(ResultsWriter{path_}, SystemError);
}

}  // namespace
}  // namespace fairwire
