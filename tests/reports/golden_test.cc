// Golden files: what a run writes and what is made of it, byte for byte. After a change that is
// meant, FAIRWIRE_REGENERATE=1 test_reports --gtest_filter='Golden.*' writes them anew; read the
// difference before it is committed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file_descriptor.h"
#include "reports/report.h"
#include "tests/reports/golden_run.h"

namespace fairwire {
namespace {

using namespace testing_records;

const std::string kGolden = FAIRWIRE_SOURCE_DIR "/tests/golden/";

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("FAIRWIRE_REGENERATE") != nullptr) write_file(kGolden + name, text);
  EXPECT_EQ(read_file(kGolden + name, 8 << 20), text) << name;
}

std::string lines_of(const ResultsFile& run) {
  std::string lines;
  for (const Record& record : run.records) lines += to_json(record).dump() + "\n";
  return lines;
}

// The report is made from the file, so that what is compared went all the way.
Report golden_report() {
  ReportInput input;
  input.runs = {parse_results(lines_of(golden_run()), "results.jsonl")};
  return make_report(input);
}

TEST(Golden, Records) {
  expect_golden("results.jsonl", lines_of(golden_run()));
}

TEST(Golden, Markdown) {
  expect_golden("report.md", golden_report().markdown);
}

TEST(Golden, Terminal) {
  expect_golden("report.txt", golden_report().terminal);
}

TEST(Golden, Summary) {
  expect_golden("summary.json", golden_report().summary.dump_pretty());
}

// A file of schema 1 (a run of fairwire 0.1.0 before its release) makes the same page.
TEST(Golden, RecordsOfSchemaOneAreStillRead) {
  ReportInput input;
  input.runs = {parse_results(read_file(kGolden + "results-1.jsonl", 8 << 20), "results.jsonl")};
  const auto& trial = std::get<TrialRecord>(input.runs[0].records.at(5));
  EXPECT_EQ(trial.machines.at(0).connections, -1);
  EXPECT_TRUE(trial.wire_report.is_null());
  EXPECT_EQ(make_report(input).markdown, golden_report().markdown);
}

TEST(Golden, RecordsOfSchemaTwoAreStillRead) {
  ReportInput input;
  input.runs = {parse_results(read_file(kGolden + "results-2.jsonl", 8 << 20), "results.jsonl")};
  const auto& trial = std::get<TrialRecord>(input.runs[0].records.at(5));
  EXPECT_EQ(trial.verdicts.at(0).landed_allocated_bytes, -1);
  EXPECT_EQ(make_report(input).markdown, golden_report().markdown);
}

TEST(Golden, Counts) {
  const Report report = golden_report();
  EXPECT_EQ(report.planned, 15);
  EXPECT_EQ(report.verified, 5);
  EXPECT_EQ(report.mismatched, 3);
  EXPECT_EQ(report.not_measured, 4);  // broken, hanging, late, unjudged
  EXPECT_EQ(report.unsupported, 1);
}

}  // namespace
}  // namespace fairwire
