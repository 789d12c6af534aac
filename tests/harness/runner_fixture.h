// The whole runner on fakes: one tool, one recipe and one testbed in a private folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "harness/exit_code.h"
#include "harness/runner.h"
#include "reports/results_file.h"
#include "tests/fakes/fake_site.h"

namespace fairwire {

inline constexpr char kTool[] = R"json({
  "schema": 1, "name": "NAME", "version": {"argv": ["puller"], "match": "(.)"},
  "can": ["pull"], "keeps": ["mode"], "notes": "n",
  "writer": {"files": {"{work}/conf": ["port {port}", "path {source}"]}, "prepare": [["maker"]],
             "serve": ["server", "{work}/conf"], "ready": {"tcp": "{port}"}},
  "reader": {"pull": ["PROGRAM", "{source}", "{tree}"]}})json";

inline constexpr char kTestbed[] = R"({"schema": 1, "name": "t",
  "machines": [{"name": "reader", "kind": "netns"}, {"name": "writer", "kind": "netns"}],
  "wires": [{"name": "fast", "kind": "open"},
            {"name": "away", "kind": "tun", "access": [{"machine": "*", "up": {"rate": "40mbit"}}],
             "paths": [{"from": "*", "to": "*", "delay_ms": 40}]}]})";

inline constexpr char kRecipe[] = R"({"schema": 1, "name": "three", "title": "three files",
  "groups": [{"prefix": "f", "count": 3, "size_quantiles": [100], "content": "random"}]})";

inline std::string replace(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

// Copies the writer's tree, then lets `spoil` have its way with what landed.
inline FakeProgram pulls(
    const std::function<void(FakeMachine&, const std::string& tree)>& spoil = {},
    int exit_code = 0) {
  return [=](FakeMachine& reader, const ExecSpec& exec) {
    if (exec.argv.size() < 3) return ends_with(0)(reader, exec);  // asked for its version
    reader.copy_tree(*reader.site().machines.at("writer"), exec.argv.at(1), exec.argv.at(2));
    if (spoil) spoil(reader, exec.argv.at(2));
    return ends_with(exit_code)(reader, exec);
  };
}

class RunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    make_directories(folder_.path() + "/tools");
    make_directories(folder_.path() + "/specs");
    write_file(folder_.path() + "/specs/three.json", kRecipe);
    write_file(folder_.path() + "/testbed.json", kTestbed);
    site_.programs["puller"] = pulls();
    site_.programs["server"] = ends_with(0);
    site_.programs["maker"] = ends_with(0);
  }

  void add_tool(const std::string& name, const std::string& program) {
    std::string text = replace(kTool, "NAME", name);
    write_file(folder_.path() + "/tools/" + name + ".json", replace(text, "PROGRAM", program));
  }

  RunResult run(const std::string& variants, const std::string& more = "", int rounds = 1) {
    const std::string plan = R"({"schema": 1, "name": "p", "testbed": "t", "rounds": )" +
                             std::to_string(rounds) + R"(, "variants": [)" + variants +
                             R"(], "cases": [{"name": "c", "scenario": ")" + scenario_ +
                             R"(", "dataset": "three", "wire": ")" + wire_ + "\"" + more + "}]}";
    write_file(folder_.path() + "/plan.json", plan);
    const RunResult result = run_plan(load_plan(folder_.path() + "/plan.json"),
                                      load_testbed(folder_.path() + "/testbed.json"),
                                      site_.builders(), site_.clock, settings());
    expect_all_given_back(result);
    return result;
  }

  RunResult resume(const std::string& folder) {
    const RunResult result =
        resume_run(folder, load_plan(folder + "/plan.json"), load_testbed(folder + "/testbed.json"),
                   site_.builders(), site_.clock, settings());
    expect_all_given_back(result);
    return result;
  }

  RunSettings settings() {
    RunSettings settings;
    settings.runs = folder_.path() + "/runs";
    settings.tell = [this](const std::string& text) { told_ += text; };
    return settings;
  }

  void expect_all_given_back(const RunResult& result) {
    results_ = read_results(result.folder + "/results.jsonl");
    EXPECT_TRUE(site_.machines.empty()) << "every machine was taken down";
    EXPECT_EQ(site_.wires_alive, 0);
  }

  std::vector<TrialRecord> trials() const {
    std::vector<TrialRecord> list;
    for (const Record& record : results_.records) {
      if (const auto* trial = std::get_if<TrialRecord>(&record)) list.push_back(*trial);
    }
    return list;
  }

  std::vector<CalibrationRecord> calibrations() const {
    std::vector<CalibrationRecord> list;
    for (const Record& record : results_.records) {
      if (const auto* reading = std::get_if<CalibrationRecord>(&record)) list.push_back(*reading);
    }
    return list;
  }

  static std::vector<std::string> phases(const TrialRecord& trial) {
    std::vector<std::string> names;
    for (const PhaseRecord& phase : trial.phases) names.push_back(phase.name);
    return names;
  }

  TempDir folder_{"fairwire-runner"};
  FakeSite site_;
  ResultsFile results_;
  std::string told_;
  std::string wire_ = "fast";
  std::string scenario_ = "pull";
};

}  // namespace fairwire
