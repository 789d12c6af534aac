#include "reports/page.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

class PageTest : public ::testing::Test {
 protected:
  Page page(const std::string& text) {
    return make_page(Json::parse(text, "page.json"), "page.json", pool_);
  }
  std::string error(const std::string& text) {
    try {
      page(text);
    } catch (const FormatError& refused) {
      return refused.pointer + ": " + refused.reason;
    }
    return "no error";
  }

  std::vector<ResultsFile> runs_ = {
      results({header({planned("a", 3, {"v", "w"}), planned("b", 3, {"w", "x"})})})};
  Pool pool_ = pool_runs(runs_);
};

TEST_F(PageTest, WithoutADescriptionAllCasesAreShown) {
  const Page page = make_page(nullptr, "", pool_);
  EXPECT_EQ(page.title, "golden");
  ASSERT_EQ(page.tables.size(), 1u);
  EXPECT_EQ(page.tables[0].rows, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(page.tables[0].columns.size(), 3u);
}

TEST_F(PageTest, StarsAreSpelledOut) {
  const Page described = page(R"({"schema":1,"title":"T","tables":[{"title":"t","rows":["b"],
      "columns":[{"variant":"*","measure":"median"},{"variant":"w","measure":"goodput"}]}]})");
  const auto& columns = described.tables[0].columns;
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[1].variant, "x");
  EXPECT_EQ(columns[2].title, "w, MB/s (of line)");
}

TEST_F(PageTest, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(error(R"({"schema":1})"), "/: \"title\" is missing");
  EXPECT_EQ(error(R"({"schema":2,"title":"T"})"), "/schema: must be from 1 to 1, not 2");
  EXPECT_EQ(error(R"({"schema":1,"title":"T","claims":["x"]})"),
            "/claims: is reserved and must be empty");
  EXPECT_EQ(error(R"({"schema":1,"title":"T","tables":[{"title":"t","columns":[]}]})"),
            "/tables/0/columns: needs at least one column");
  EXPECT_EQ(error(R"({"schema":1,"title":"T","tables":[{"title":"t","rows":["z"],"columns":[]}]})"),
            "/tables/0/rows/0: no run has a case \"z\"");
  const std::string head = R"({"schema":1,"title":"T","tables":[{"title":"t","columns":[)";
  EXPECT_EQ(error(head + R"({"variant":"q","measure":"median"}]}]})"),
            "/tables/0/columns/0/variant: no row of this table has a variant \"q\"");
  EXPECT_EQ(error(head + R"({"variant":"v","measure":"speed"}]}]})").substr(0, 46),
            "/tables/0/columns/0/measure: \"speed\" is none o");
  EXPECT_EQ(error(R"({"schema":1,"title":"T","colour":"red"})").substr(0, 20),
            "/colour: unknown key");
}

TEST_F(PageTest, TheShippedPagesAreValid) {
  const std::string file = FAIRWIRE_SOURCE_DIR "/reports/pages/quick.json";
  const Page quick = make_page(Json::parse_file(file), file, pool_);
  EXPECT_EQ(quick.title, "Quick table");
  EXPECT_EQ(quick.tables[0].columns.size(), 3u);
}

TEST_F(PageTest, ARunWithoutAHeaderStillHasItsPage) {
  const Pool empty = pool_runs({});
  const std::string named = R"({"schema":1,"title":"T","tables":[{"title":"t","rows":["z"],
      "columns":[{"variant":"q","measure":"median"}]}]})";
  EXPECT_TRUE(make_page(Json::parse(named, "p"), "p", empty).tables[0].rows.empty());
}

}  // namespace
}  // namespace fairwire
