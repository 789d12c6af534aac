#include "reports/record.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "base/error.h"
#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

// The record itself, after a walk through text.
Record through_text(const Record& record) {
  return record_from_json(Json::parse(to_json(record).dump(), "x"), "results.jsonl", 7);
}

std::string error_of(const Json& json) {
  try {
    record_from_json(json, "results.jsonl", 7);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

// `json` with one member set, or left out when `value` is nothing.
Json with(const Json& json, std::string_view key, std::optional<Json> value) {
  Json copy = Json::object();
  for (const auto& [name, old] : *json.if_object()) {
    if (name != key) copy.set(name, old);
  }
  if (value) copy.set(key, std::move(*value));
  return copy;
}

std::vector<Record> one_of_each() {
  TrialRecord trial = mismatched(pull("pull-large", "rsync-ssh", 1, 28.1), &VerdictRecord::content,
                                 {"content", escape_name(kHostileName), "", ""});
  trial.flags = {Flag::invalid,        Flag::contaminated,     Flag::wrote_after_exit,
                 Flag::left_processes, Flag::sources_disagree, Flag::start_up_bound,
                 Flag::single_run};
  trial.sources = {{"peer", "direct", 12, 345}};
  trial.unparsable = {"reader: counters.json: line 1, column 13: invalid literal"};
  trial.events = {{"kill", "writer", seconds(3)}};
  return {header({planned("pull-large", 6, {"rsync-ssh"})}),
          CalibrationRecord{"s1", "before", "away", "within bounds", "",
                            Json::object({{"rtt_median_us", 80'100}})},
          trial,
          NoteRecord{"s1", "2026-11-30T22:04:00Z", "warning", "the governor is powersave"},
          PublishedRecord{"a page", "pull-large", "scp", "wall", 28.56, "s"},
          EndRecord{"s1", "2026-11-30T22:09:00Z", "complete", 12}};
}

TEST(Record, EveryTypeSurvivesText) {
  for (const Record& record : one_of_each()) {
    EXPECT_EQ(to_json(through_text(record)).dump(), to_json(record).dump());
  }
}

TEST(Record, EveryOutcomeVerdictAndWordHasItsName) {
  EXPECT_EQ(to_string(Outcome::source_changed), "source_changed");
  EXPECT_EQ(to_string(Verdict::different), "different");
  EXPECT_EQ(to_string(Flag::start_up_bound), "start_up_bound");
  EXPECT_EQ(worst(Verdict::identical, Verdict::unknown), Verdict::unknown);
  EXPECT_EQ(worst(Verdict::different, Verdict::unknown), Verdict::different);
}

TEST(Record, NotMeasuredIsNullAndNeverMinusOne) {
  TrialRecord trial = ended(pull("c", "v", 1, 9), Outcome::timed_out, "no progress for 60 s");
  trial.machines[0] = MachineRecord{};
  const std::string text = to_json(trial).dump();
  EXPECT_EQ(text.find(":-1"), std::string::npos);
  EXPECT_NE(text.find("\"exit_code\":null"), std::string::npos);
  const auto back = std::get<TrialRecord>(through_text(trial));
  EXPECT_EQ(back.ops[0].exit_code, -1);
  EXPECT_EQ(back.machines[0].cpu_total_us, -1);
  EXPECT_EQ(back.machines[0].peak_anonymous_bytes, -1);
}

TEST(Record, TheWholeRangeOfSeedsIsKept) {
  for (const uint64_t seed : {uint64_t{0}, std::numeric_limits<uint64_t>::max()}) {
    HeaderRecord record = header({});
    record.seed = seed;
    EXPECT_EQ(std::get<HeaderRecord>(through_text(record)).seed, seed);
  }
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "1e3", "18446744073709551616"}) {
    EXPECT_NE(error_of(with(to_json(header({})), "seed", bad)).find("/seed: must be a number"),
              std::string::npos)
        << bad;
  }
}

TEST(Record, NamesComeBackByteForByte) {
  TrialRecord trial = pull("c", "v", 1, 9);
  const std::vector<std::string> names = {kHostileName, "a\\b", std::string("nul\0x", 5), "\\x41"};
  for (const std::string& name : names) {
    trial.verdicts[0].first.push_back({"missing", escape_name(name), "", ""});
  }
  const auto back = std::get<TrialRecord>(through_text(trial));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(unescape_name(back.verdicts[0].first[i].path), names[i]);
  }
}

TEST(Record, BytesThatAreNoTextCannotSpoilALine) {
  TrialRecord trial = ended(pull("c", "v", 1, 9), Outcome::tool_failed, "said \xff\xfe");
  trial.conditions = Json::object({{"odd\xc3", Json::array({"\xed\xa0\x80"})}});
  trial.verdicts = {identical_tree(1, 1)};
  trial.verdicts[0].first = {{"missing", "raw\xff", "", ""}};
  const auto back = std::get<TrialRecord>(through_text(trial));
  EXPECT_EQ(back.reason, "said \\xff\\xfe");
  EXPECT_EQ(back.verdicts[0].first[0].path, "raw\\xff");
  EXPECT_EQ(back.conditions.dump(), "{\"odd\\\\xc3\":[\"\\\\xed\\\\xa0\\\\x80\"]}");
}

TEST(Record, UnknownAndMissingKeysAreRefusedWithTheirPlace) {
  const Json trial = to_json(pull("c", "v", 1, 9));
  EXPECT_EQ(error_of(with(trial, "speed", 3)), "results.jsonl: line 7: /speed: unknown key");
  EXPECT_EQ(error_of(with(trial, "round", std::nullopt)),
            "results.jsonl: line 7: \"round\" is missing");
  Json op = with((*trial.find("ops")->if_array())[0], "wall_ns", -5);
  EXPECT_EQ(error_of(with(trial, "ops", Json::array({op}))),
            "results.jsonl: line 7: /ops/0/wall_ns: must be from 0 to 9007199254740992, not -5");
}

TEST(Record, KeysInAnotherOrderAreTheSameRecord) {
  const Json trial = to_json(pull("c", "v", 1, 9));
  const Json moved = with(trial, "type", Json("trial"));  // type now comes last
  EXPECT_EQ(to_json(record_from_json(moved, "x", 1)).dump(), trial.dump());
}

TEST(Record, ValuesOutsideTheirBoundsAreRefused) {
  const Json trial = to_json(pull("c", "v", 1, 9));
  const std::vector<std::pair<std::string, Json>> bad = {
      {"round", -1},
      {"round", 1.0},
      {"round", int64_t{1} << 54},
      {"control", "no"},
      {"outcome", "fine"},
      {"flags", Json::array({"odd"})},
      {"flags", "invalid"},
      {"conditions", 3},
      {"dataset_digest", "abc"},
      {"dataset_digest", digest_of('A')},
      {"reason", nullptr},
  };
  for (const auto& [key, value] : bad) {
    EXPECT_NE(error_of(with(trial, key, value)).find("line 7: /" + key), std::string::npos) << key;
  }
}

TEST(Record, AnotherSchemaIsRefusedByNumber) {
  EXPECT_EQ(error_of(with(to_json(header({})), "schema", 4)),
            "results.jsonl: line 7: /schema: this fairwire reads schemas 1 to 3, not 4");
  EXPECT_EQ(error_of(with(to_json(header({})), "schema", 0)),
            "results.jsonl: line 7: /schema: this fairwire reads schemas 1 to 3, not 0");
}

TEST(Record, KeysBelongToTheSchemaThatHasThem) {
  const Json now = to_json(pull("c", "v", 1, 9));
  const auto read = [](const Json& json, int schema) {
    try {
      record_from_json(json, "results.jsonl", 7, schema);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Json without = with(now, "wire_report", std::nullopt);
  EXPECT_EQ(read(with(now, "unparsable", std::nullopt), 3),
            "results.jsonl: line 7: \"unparsable\" is missing");
  EXPECT_EQ(read(now, 2), "results.jsonl: line 7: /verdicts/0/wanted_allocated_bytes: unknown key");
  EXPECT_EQ(read(without, 3), "results.jsonl: line 7: \"wire_report\" is missing");
  EXPECT_EQ(read(now, 1), "results.jsonl: line 7: /verdicts/0/wanted_root: unknown key");
}

TEST(Record, WhatTheReaderWouldRefuseIsNotWritten) {
  TrialRecord trial = pull("c", "v", 1, 9);
  trial.dataset_digest = "abc";
  EXPECT_THROW(to_json(trial), std::range_error);
  EXPECT_THROW(to_json(EndRecord{"s", "t", "gone", 1}), std::range_error);
  EXPECT_THROW(
      to_json(PublishedRecord{"", "", "", "", std::numeric_limits<double>::quiet_NaN(), ""}),
      std::range_error);
}

}  // namespace
}  // namespace fairwire
