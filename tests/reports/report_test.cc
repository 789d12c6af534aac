#include "reports/report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>

#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "reports/html.h"
#include "reports/markdown.h"
#include "reports/terminal.h"
#include "tests/reports/golden_run.h"

namespace fairwire {
namespace {

using namespace testing_records;

Report report_of(std::vector<ResultsFile> runs, Json page = nullptr) {
  ReportInput input;
  input.runs = std::move(runs);
  input.page = std::move(page);
  input.page_file = "page.json";
  return make_report(input);
}

// Python's own parser judges the page; `shown` must all stand in its text.
void expect_sound(const Report& report, const std::vector<std::string>& shown = {}) {
  const TempDir folder("page-test");
  const std::string path = folder.path() + "/index.html";
  write_file(path, report.html);
  std::string command =
      "/usr/bin/python3 " FAIRWIRE_SOURCE_DIR "/tests/reports/check_page.py " + path;
  for (const std::string& text : shown) command += " '" + text + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

bool has_control_bytes(const std::string& text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) return true;
  }
  return false;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Report, TenConnectionsAreTheirMedianAndIdleReadersGoAtOnce) {
  TrialRecord connect = pull("c", "v", 1, 1.0);
  connect.scenario = "connect";
  connect.verdicts.clear();
  for (const double wall : {2.0, 9.0}) connect.ops.push_back(pull_op(wall, 0, 0));
  connect.ops[0].bytes = connect.ops[0].files = 0;
  TrialRecord idle = pull("i", "v", 1, 60.0);
  idle.scenario = "idle";
  idle.ops.push_back(idle.ops[0]);
  idle.machines[1].voluntary_switches = 1234;
  PlannedCase one = planned("c", 1, {"v"});
  PlannedCase two = planned("i", 1, {"v"});
  two.scenario = "idle";
  const Report report =
      report_of({results({header({one, two}), std::move(connect), std::move(idle)})});
  const Json& cases = *report.summary.find("cases");
  const auto cell = [&](size_t i) {
    return (*(*cases.if_array())[i].find("cells")->if_array())[0];
  };
  EXPECT_EQ(cell(0).find("median_seconds")->if_number(), 2.0);
  EXPECT_EQ(cell(1).find("median_seconds")->if_number(), 60.0);
  EXPECT_NE(report.markdown.find("reader 1\u202f234"), std::string::npos) << report.markdown;
}

TEST(Report, TheGoldenRunIsASoundPage) {
  expect_sound(report_of({golden_run()}),
               {"MISMATCH (content)", "MISMATCH (metadata)", "tool failed", "timed out",
                "unsupported", "source changed", "not measured", "not run", "mean of two",
                "single run", "contaminated", "scp cannot update a tree",
                "No verdict: it takes 6 rounds, and fairsync has 2.", "pipe-16", "3.2.7"});
}

// Case A29: a name out of a tree, and every other text that is not ours.
TEST(Report, NothingFromOutsideCanActOnAnyPage) {
  const std::string bad = kHostileName;
  TrialRecord trial =
      mismatched(pull(bad, bad, 1, 9), &VerdictRecord::content, {bad, escape_name(bad), bad, bad});
  trial.reason = trial.dataset = trial.wire = trial.started = trial.durability = bad;
  trial.scenario = trial.machines[0].machine = trial.machines[0].role = bad;
  trial.verdicts[0].machine = trial.machines[1].cpu_method = bad;
  trial.conditions = Json::object({{"odd", "<script>alert(1)</script>\u2028"}});
  trial.sources = {{bad, bad, 1, 1}};
  trial.events = {{bad, bad, 1}};
  TrialRecord good = pull(bad, bad, 2, 9);
  good.machines[0].machine = good.machines[0].role = good.durability = bad;
  PlannedCase plan = planned(bad, 2, {bad});
  plan.title = plan.dataset_title = plan.wire_title = plan.scenario = bad;
  HeaderRecord head = header({plan});
  head.run = head.plan_name = head.testbed_name = head.fairwire_version = bad;
  const Json tool =
      Json::object({{"name", "</td><script>x"}, {"version", "<b>"}, {"error", "\x1b[2J"}});
  head.context.set("tools", Json::array({tool}));
  TrialRecord odd_control = control(bad, 1, 3);
  odd_control.wire = bad;
  const Report report = report_of({results(
      {head, trial, good, odd_control,
       CalibrationRecord{bad, "before", bad, "out of bounds", bad, nullptr},
       NoteRecord{bad, bad, "warning", bad}, PublishedRecord{bad, bad, bad, bad, 1, bad}})});
  expect_sound(report);
  EXPECT_EQ(report.html.find("<img"), std::string::npos);
  // Code lines are literal by their indent; there the words are quoted for a shell instead.
  EXPECT_EQ(count(report.markdown, "<img"), 1);
  EXPECT_EQ(count(report.markdown, "\n    fairwire report 'runs/\\x1b[31m<img"), 1);
  for (const std::string& text : {report.html, report.markdown, report.terminal}) {
    EXPECT_FALSE(has_control_bytes(text));
    EXPECT_EQ(text.find('\xff'), std::string::npos);
  }
}

TEST(Report, HtmlIsEscapedEverywhere) {
  EXPECT_EQ(escape_html("<a href='x'>&\"\x1b"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\ufffd");
  EXPECT_EQ(embeddable_json(Json("</script>&\u2028")), "\"\\u003c/script\\u003e\\u0026\\u2028\"");
  EXPECT_EQ(escape_markdown("a|b`<i>*_\n"), "a\\|b\\`&lt;i&gt;\\*\\_\ufffd");
}

TEST(Report, RunsThatEndedEarlyHaveAPageThatSaysSo) {
  const HeaderRecord head = header({planned("c", 2, {"v"})});
  const Report nothing = report_of({results({})});
  expect_sound(nothing, {"has no record: it ended before its header", "Nothing was planned"});
  const Report no_runs = report_of({});
  expect_sound(no_runs, {"Nothing was planned"});
  const Report only_header = report_of({results({head})});
  expect_sound(only_header, {"was interrupted", "not run", "No control was recorded"});
  EXPECT_EQ(only_header.planned, 1);
  EXPECT_EQ(only_header.verified, 0);
  const Report half =
      report_of({results({head, pull("c", "v", 1, 9), EndRecord{"s1", "", "interrupted", 1}})});
  expect_sound(half, {"1 of 2", "1 of 2 rounds not recorded", "was interrupted"});
}

// Cases C18 and C28: what n values allow to be said.
TEST(Report, SmallSamplesAreNamedAndNeverFilledUp) {
  for (const int64_t n : {0, 1, 2, 3, 6, 20}) {
    std::vector<Record> records{header({planned("c", n, {"v"})})};
    for (int64_t round = 1; round <= n; ++round) {
      records.push_back(pull("c", "v", round, 10 + static_cast<double>(round)));
    }
    const Report report = report_of({results(std::move(records))});
    const std::string label = n == 1 ? "single run" : n == 2 ? "mean of two" : "";
    expect_sound(report, label.empty() ? std::vector<std::string>{} : std::vector{label});
    EXPECT_EQ(report.html.find("No verdict") != std::string::npos, n < 6) << n;
    const Json& cell =
        report.summary.find("cases")->if_array()->front().find("cells")->if_array()->front();
    EXPECT_EQ(cell.find("median_seconds")->is_null(), n == 0) << n;
    EXPECT_EQ(cell.find("mad_seconds")->is_null(), n < 2) << n;
    EXPECT_EQ(cell.find("p95_seconds")->is_null(), n < 20) << n;
    for (const char* sentinel : {"nan", "inf", "9223372036854775807"}) {
      EXPECT_EQ(report.summary.dump().find(sentinel), std::string::npos) << n;
    }
  }
}

// The cells of a markdown row, without the bars.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t at = 2; at < line.size();) {
    const size_t end = std::min(line.find(" |", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 3;
  }
  return cells;
}

// Case C24: 4.56 of 5.00 MB/s is the line, not a limit of the tool.
TEST(Report, NoRateWithoutItsWireAndItsShareOfTheLine) {
  const Json page = Json::parse(
      R"({"schema":1,"title":"T","tables":[{"title":"Rates","columns":[{"variant":"*",
          "measure":"goodput"}]}]})",
      "page.json");
  std::istringstream text(report_of({golden_run()}, page).markdown);
  bool in_overview = false;
  int rates = 0;
  std::vector<std::string> head;
  std::string prose;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) in_overview = line == "## Rates";
    if (line.empty()) head.clear();
    if (!line.starts_with("| ")) {
      prose += line;
      continue;
    }
    const auto cells = cells_of(line);
    if (head.empty()) head = cells;
    for (size_t i = 1; i < cells.size(); ++i) {
      if (!(in_overview || head.at(i) == "MB/s (of line)") ||
          cells[i].find_first_of("0123456789") != 0) {
        continue;
      }
      ++rates;
      const std::string of_line = in_overview ? " % of line)" : " %)";
      const bool known = cells[i].ends_with(of_line) || cells[i].ends_with(" % of 1 stream)") ||
                         cells[i].ends_with("line not known)");
      EXPECT_TRUE(known) << line;
      const bool wire = (in_overview ? cells[0] : prose).find("bit/s") != std::string::npos;
      EXPECT_TRUE(wire) << line;
    }
  }
  EXPECT_EQ(rates, 12) << "six cells have a rate, each in two tables";
  EXPECT_NE(prose.find("MB/s is goodput: verified bytes of content by the median time"),
            std::string::npos);
  EXPECT_NE(prose.find("The line is the stated rate, 5.00 MB/s of whole frames"),
            std::string::npos);
  EXPECT_NE(prose.find("One raw TCP stream: "), std::string::npos);
}

TEST(Report, PooledRunsNameTheRunOfEachTrial) {
  const Report report = report_of({golden_run(), golden_run()});
  expect_sound(report, {"run 2, 0041"});
  EXPECT_EQ(report.html.find("../trials/"), std::string::npos);
}

TEST(Report, APageDescriptionMovesItsWords) {
  const Json page = Json::parse(
      R"({"schema":1,"title":"My <page>","intro":["One & two"],"baseline":false,"limits":["few"],
          "tables":[{"title":"Rates","columns":[{"variant":"*","measure":"goodput"}]}]})",
      "page.json");
  expect_sound(report_of({golden_run()}, page), {"My <page>", "One & two", "Rates", "few"});
}

TEST(Terminal, ColumnsFollowTheWidth) {
  Document document;
  TextTable table{"", {{"Name", false, 0}, {"Time", true, 0}, {"Notes", false, 1}}, {}};
  table.rows.push_back({"", {text_cell("日本"), text_cell("1.5 s"), text_cell("wide")}});
  table.rows.push_back({"", {text_cell("e\u0301t"), text_cell("12.0 s"), text_cell("narrow")}});
  document.sections.push_back({"c0", "A case", {table}, 2});
  EXPECT_NE(render_terminal(document, 40)
                .find("日本   1.5 s  wide\n"
                      "e\u0301t    12.0 s  narrow\n"),
            std::string::npos);
  EXPECT_EQ(render_terminal(document, 15).find("Notes"), std::string::npos);
  EXPECT_EQ(display_width("日本e\u0301…"), 6u);
}

TEST(Terminal, WordsAreCutInTheMiddleWhereNothingElseFits) {
  Document document;
  TextTable table{"", {{"Name", false, 0}, {"Time", true, 0}}, {}};
  table.rows.push_back({"", {text_cell("abcdefghijklmnopqrstuvwxyz"), text_cell("1.5 s")}});
  document.sections.push_back({"c0", "A case", {table}, 2});
  EXPECT_NE(render_terminal(document, 20).find("abcdef…uvwxyz  1.5 s\n"), std::string::npos);
}

}  // namespace
}  // namespace fairwire
