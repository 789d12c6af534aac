// The grid of properties by variants (docs/page.md, "conformance").
#include <gtest/gtest.h>

#include "base/json.h"
#include "reports/report.h"
#include "tests/reports/golden_run.h"

namespace fairwire {
namespace {

using namespace testing_records;

ResultsFile run_of(const std::vector<PropertyRecord>& properties,
                   const std::vector<std::string>& kept) {
  ResultsFile run = golden_run();
  for (Record& record : run.records) {
    auto* trial = std::get_if<TrialRecord>(&record);
    if (trial == nullptr) continue;
    for (VerdictRecord& verdict : trial->verdicts) {
      verdict.properties = properties;
      verdict.kept = kept;
    }
  }
  return run;
}

std::string page_of(ResultsFile run, bool asked = true) {
  ReportInput input;
  input.runs.push_back(std::move(run));
  const std::string text =
      asked ? R"({"schema":1,"title":"T","conformance":true})" : R"({"schema":1,"title":"T"})";
  input.page = Json::parse(text, "page.json");
  input.page_file = "page.json";
  return make_report(input).markdown;
}

std::string row_of(const std::string& page, const std::string& name) {
  const size_t at = page.find("\n| " + name + " |");
  return at == std::string::npos ? "" : page.substr(at + 1, page.find('\n', at + 1) - at - 1);
}

TEST(Conformance, SaysOfEachPropertyWhatWasKept) {
  const std::string page =
      page_of(run_of({{"mode", 4, 0}, {"mtime", 4, 1}, {"mtime-seconds", 4, 0}, {"owner", 4, 2}},
                     {"mode", "mtime"}));
  EXPECT_NE(row_of(page, "content").find("DIFFERENT"), std::string::npos);
  EXPECT_NE(row_of(page, "mode").find("kept"), std::string::npos);
  EXPECT_EQ(row_of(page, "mode").find("NOT KEPT"), std::string::npos);
  EXPECT_NE(row_of(page, "mtime").find("NOT KEPT"), std::string::npos);
  EXPECT_EQ(row_of(page, "mtime-seconds").find("(kept)"), std::string::npos);  // mtime claims it
  EXPECT_NE(row_of(page, "owner").find("(not kept)"), std::string::npos);
}

// What a variant never landed is neither kept nor lost; what no variant has is no row.
TEST(Conformance, NothingComparedIsNeverKept) {
  ResultsFile run = run_of({{"symlink", 0, 0}, {"sparse", 0, 0}}, {"symlink"});
  for (Record& record : run.records) {
    auto* trial = std::get_if<TrialRecord>(&record);
    if (trial == nullptr || trial->variant != "scp" || trial->verdicts.empty()) continue;
    trial->verdicts[0].properties[0].compared = 3;
  }
  const std::string page = page_of(run);
  EXPECT_NE(row_of(page, "symlink").find("failed"), std::string::npos);
  EXPECT_NE(row_of(page, "symlink").find("kept"), std::string::npos);
  EXPECT_EQ(row_of(page, "sparse"), "");
}

TEST(Conformance, IsThereOnlyWhenAsked) {
  const ResultsFile run = run_of({{"mode", 4, 0}}, {"mode"});
  EXPECT_NE(page_of(run).find("## Conformance"), std::string::npos);
  EXPECT_EQ(page_of(run, false).find("## Conformance"), std::string::npos);
}

}  // namespace
}  // namespace fairwire
