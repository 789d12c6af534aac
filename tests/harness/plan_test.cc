#include "harness/plan.h"

#include <gtest/gtest.h>

#include "harness/data_files.h"
#include "tests/harness/refusal.h"

namespace fairwire {
namespace {

constexpr char kWhole[] = R"({
  "schema": 1, "name": "p", "title": "T", "testbed": "two-rooms", "seed": 9, "rounds": 3,
  "controls": ["pipe-1"], "page": "quick", "threshold_percent": 7,
  "builds": {"abc": {"fairsync": "/opt/fairsync"}},
  "variants": ["rsync-ssh:fsync+checksum", "fairsync@abc"],
  "cases": [
    {"name": "c1", "scenario": "pull", "dataset": "tiny", "wire": "fast"},
    {"name": "c2", "scenario": "swarm", "dataset": "tiny", "wire": "fast", "rounds": 1,
     "controls": ["kernel"], "roles": {"writer": "w", "readers": ["r1", "r2"], "relay": "x", "bucket": "b"},
     "variants": ["scp"], "mutation": "m", "deadline_s": 5, "stall_s": 2,
     "conditions": {"durable": true, "index": "warm", "cache": "cold", "buffers": "tuned",
                    "congestion": "bbr", "congestion_locked": false},
     "events": [{"do": "kill", "machine": "r1", "at": {"bytes": 100}},
                {"do": "pause", "at": {"ms": 20}}, {"do": "delete", "path": "x/", "at": {"op": "pull"}}]}
  ]})";

TEST(Plan, EveryFieldOfTheFormatIsRead) {
  const Plan plan = parse_plan(Json::parse(kWhole, "p.json"), "p.json");
  EXPECT_EQ(plan.seed, 9u);
  EXPECT_EQ(plan.threshold_percent, 7);
  ASSERT_EQ(plan.cases.size(), 2u);
  const CaseSpec& first = plan.cases[0];
  ASSERT_EQ(first.variants.size(), 2u);
  EXPECT_EQ(first.variants[0].tool, "rsync-ssh");
  EXPECT_EQ(first.variants[0].settings, (std::vector<std::string>{"fsync", "checksum"}));
  EXPECT_EQ(first.variants[1].tool, "fairsync");
  EXPECT_EQ(first.variants[1].build, "abc");
  EXPECT_EQ(first.rounds, 3);
  EXPECT_EQ(first.writer, "writer");
  EXPECT_EQ(first.readers, std::vector<std::string>{"reader"});
  const CaseSpec& second = plan.cases[1];
  EXPECT_EQ(first.controls, std::vector<std::string>{"pipe-1"});
  EXPECT_EQ(second.controls, std::vector<std::string>{"kernel"});
  EXPECT_EQ(second.readers.size(), 2u);
  EXPECT_EQ(second.conditions.congestion, "bbr");
  EXPECT_FALSE(second.conditions.congestion_locked);
  EXPECT_TRUE(second.conditions.durable);
  EXPECT_EQ(second.deadline, std::chrono::seconds(5));
  ASSERT_EQ(second.events.size(), 3u);
  EXPECT_EQ(second.events[0].at_bytes, 100);
  EXPECT_EQ(second.events[1].at_time, std::chrono::milliseconds(20));
  EXPECT_EQ(second.events[2].at_op, "pull");
}

#define HEAD R"({"schema": 1, "name": "p", "testbed": "t", )"
#define CASE R"("scenario": "pull", "dataset": "tiny", "wire": "fast")"

TEST(Plan, WhatIsWrongIsNamedWithItsPlace) {
  const Refusal refusals[] = {
      {R"([])", "/", "object"},
      {R"({"schema": 2})", "/schema", "from 1 to 1"},
      {R"({"schema": 1, "nmae": "x"})", "/nmae", "unknown key"},
      {R"({"schema": 1, "name": "p"})", "/", "\"testbed\" is missing"},
      {R"({"schema": 1, "name": "Two Words"})", "/name", "a-z"},
      {R"({"schema": 1, "name": "../up"})", "/name", "a-z"},
      {HEAD R"("cases": []})", "/cases", "at least one case"},
      {HEAD R"("cases": {}})", "/cases", "array"},
      {HEAD R"("rounds": 0, "cases": []})", "/rounds", "from 1 to 1000"},
      {HEAD R"("rounds": "three", "cases": []})", "/rounds", "integer"},
      {HEAD R"("variants": [], "cases": []})", "/variants", "at least one tool"},
      {HEAD R"("variants": ["scp", "scp"], "cases": []})", "/variants/1", "twice"},
      {HEAD R"("variants": ["scp@"], "cases": []})", "/variants/0", "behind the @"},
      {HEAD R"("variants": ["scp:"], "cases": []})", "/variants/0", "empty setting"},
      {HEAD R"("cases": [{"name": "c", )" CASE R"(}]})", "/cases/0", "\"variants\" is missing"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", "scenario": "pul"}]})",
       "/cases/0/scenario", "none of: pull"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "conditions": {"durabel": 1}}]})",
       "/cases/0/conditions/durabel", "unknown key"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "roles": {"readers": []}}]})",
       "/cases/0/roles/readers", "at least one reader"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "events": [{"do": "melt"}]}]})",
       "/cases/0/events/0/do", "none of: stop"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "events": [{"do": "stop", "up": "1mbit", "at": {"ms": 1}}]}]})",
       "/cases/0/events/0/up", "does not belong to stop"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "events": [{"do": "set-rate", "machine": "r1", "at": {"ms": 1}}]}]})",
       "/cases/0/events/0", "needs \"up\" or \"down\""},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "events": [{"do": "set-delay", "from": "a", "at": {"ms": 1}}]}]})",
       "/cases/0/events/0", "\"to\" is missing"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE
            R"(, "events": [{"do": "stop", "at": {}}]}]})",
       "/cases/0/events/0/at", "\"op\" is missing"},
      {HEAD R"("variants": ["scp"], "cases": [{"name": "c", )" CASE R"(}, {"name": "c", )" CASE
            R"(}]})",
       "/cases/1/name", "twice"},
      {HEAD R"("variants": ["scp@x"], "cases": [{"name": "c", )" CASE R"(}]})", "/",
       "\"builds\" lacks"},
      {HEAD R"("builds": {"x": {"scp": "relative"}}, "cases": []})", "/builds/x/scp", "absolute"},
      {HEAD R"("seed": -1, "cases": []})", "/seed", "from 0"},
  };
  for (const Refusal& refusal : refusals) {
    expect_refused(refusal, [](const Json& json) { parse_plan(json, "file.json"); });
  }
}

TEST(Plan, EveryShippedPlanLoads) {
  const auto names = list_data_files(kPlansRoom);
  EXPECT_GE(names.size(), 3u);
  for (const std::string& name : names) {
    EXPECT_EQ(load_plan(find_data_file(kPlansRoom, name, "", "")).name, name);
  }
}

TEST(DataFiles, AnUnknownNameListsWhatThereIs) {
  try {
    find_data_file(kPlansRoom, "no-such-plan", "", "");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("quick"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace fairwire
