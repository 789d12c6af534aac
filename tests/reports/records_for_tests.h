// Records as the runner would have written them, for the tests of reports/: small builders, and
// one run that meets every outcome, verdict and flag.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/record.h"
#include "reports/results_file.h"

namespace fairwire::testing_records {

inline constexpr int64_t kMegabyte = 1'000'000;
inline constexpr int64_t kPayload = 128 * kMegabyte;
/// A name that attacks terminals, HTML, attributes, Markdown tables and scripts at once.
inline const std::string kHostileName =
    "\x1b[31m<img src=x onerror=alert(1)>&\".txt|</script>`*_\xff";

inline int64_t seconds(double value) {
  return static_cast<int64_t>(value * 1e9 + 0.5);
}

inline std::string digest_of(char digit) {
  return std::string(64, digit);
}

inline VerdictRecord identical_tree(int64_t bytes, int64_t files) {
  VerdictRecord verdict;
  verdict.machine = "reader";
  verdict.content = verdict.file_set = verdict.metadata = Verdict::identical;
  verdict.wanted_digest = verdict.landed_digest = digest_of('a');
  verdict.wanted_entries = verdict.landed_entries = files + 1;
  verdict.wanted_bytes = verdict.verified_bytes = bytes;
  verdict.kept = {"mode", "mtime"};
  verdict.wanted_root = verdict.landed_root = digest_of('e');
  verdict.wanted_files = verdict.verified_files = files;
  verdict.landed_files = verdict.hashed_files = files;
  verdict.landed_bytes = verdict.hashed_bytes = bytes;
  verdict.wanted_allocated_bytes = verdict.landed_allocated_bytes = bytes;
  verdict.properties = {{"mode", files + 1, 0}, {"mtime", files + 1, 0}};
  return verdict;
}

inline MachineRecord machine(const std::string& name, double cpu_user_s, double cpu_system_s,
                             int64_t memory_bytes) {
  MachineRecord record;
  record.machine = record.role = name;
  record.cpu_user_us = static_cast<int64_t>(cpu_user_s * 1e6 + 0.5);
  record.cpu_system_us = static_cast<int64_t>(cpu_system_s * 1e6 + 0.5);
  record.cpu_total_us = record.cpu_user_us + record.cpu_system_us;
  record.cpu_method = "cgroup2";
  record.peak_anonymous_bytes = memory_bytes;
  record.memory_period_ms = 50;
  return record;
}

inline OpRecord pull_op(double wall_s, int64_t bytes, int64_t files) {
  OpRecord op;
  op.name = "pull";
  op.machine = "reader";
  op.start_ns = seconds(1000);
  op.wall_ns = seconds(wall_s);
  op.bytes = bytes;
  op.files = files;
  op.verdict = Verdict::identical;
  op.end = "exited";
  op.exit_code = 0;
  op.user_us = 310'000;
  op.system_us = 190'000;
  op.largest_rss_bytes = int64_t{48} << 20;
  return op;
}

/// A pull that completed, landed the right bytes, and took `wall_s`.
inline TrialRecord pull(const std::string& case_name, const std::string& variant, int64_t round,
                        double wall_s, int64_t files = 1) {
  TrialRecord trial;
  trial.session = "s1";
  trial.case_name = case_name;
  trial.scenario = "pull";
  trial.variant = variant;
  trial.round = round;
  trial.order = 1;
  trial.started = "2026-11-30T22:04:00Z";
  trial.dataset = "one-128MB";
  trial.dataset_digest = digest_of('d');
  trial.wire = "away";
  trial.conditions = Json::object({{"durable", false}, {"cache", "cold"}});
  trial.durability = "none";
  trial.outcome = Outcome::completed;
  trial.verdict = Verdict::identical;
  trial.verdicts = {identical_tree(kPayload, files)};
  trial.ops = {pull_op(wall_s, kPayload, files)};
  trial.machines = {machine("writer", 0.4, 0.2, int64_t{20} << 20),
                    machine("reader", 0.6, 0.5, int64_t{31} << 20)};
  trial.machines[1].largest_rss_bytes = int64_t{48} << 20;
  trial.wires = {{"writer", "reader", kPayload + 6 * kMegabyte, 95'000, 3},
                 {"reader", "writer", 2 * kMegabyte, 40'000, 0}};
  trial.phases = {{"arrange", seconds(1), seconds(2)}, {"run", seconds(2), seconds(2 + wall_s)}};
  return trial;
}

/// A control of a round on the wire "away".
inline TrialRecord control(const std::string& variant, int64_t round, double wall_s,
                           int64_t bytes = 40 * kMegabyte) {
  TrialRecord trial = pull("pull-large", variant, round, wall_s);
  trial.scenario = "control";
  trial.control = true;
  trial.dataset = trial.dataset_digest = "";
  trial.verdicts.clear();
  trial.ops[0].name = variant;
  trial.ops[0].bytes = bytes;
  trial.ops[0].files = 0;
  trial.wires.clear();
  trial.machines.clear();
  return trial;
}

inline TrialRecord mismatched(TrialRecord trial, Verdict VerdictRecord::*part,
                              DifferenceRecord difference) {
  trial.verdict = Verdict::different;
  trial.verdicts[0].*part = Verdict::different;
  trial.verdicts[0].landed_digest = digest_of('b');
  trial.verdicts[0].landed_root = digest_of('f');
  trial.verdicts[0].different = 1;
  trial.verdicts[0].first = {std::move(difference)};
  trial.ops[0].verdict = Verdict::different;
  return trial;
}

inline TrialRecord ended(TrialRecord trial, Outcome outcome, const std::string& reason) {
  trial.outcome = outcome;
  trial.reason = reason;
  trial.verdict = Verdict::unknown;
  trial.verdicts.clear();
  trial.ops[0].verdict = Verdict::unknown;
  trial.ops[0].bytes = trial.ops[0].files = 0;
  if (outcome == Outcome::unsupported) trial.ops.clear();
  if (outcome == Outcome::tool_failed) trial.ops[0].exit_code = 23;
  if (outcome == Outcome::timed_out) {
    trial.ops[0].end = "deadline";
    trial.ops[0].exit_code = -1;
    trial.ops[0].signal = 15;
  }
  return trial;
}

inline HeaderRecord header(std::vector<PlannedCase> cases) {
  HeaderRecord record;
  record.run = "golden/2026-11-30T22-03-51Z";
  record.session = "s1";
  record.started = "2026-11-30T22:03:51Z";
  record.fairwire_version = "0.1.0";
  record.plan_name = "golden";
  record.plan_digest = digest_of('1');
  record.testbed_name = "two-namespaces";
  record.testbed_digest = digest_of('2');
  record.seed = 18446744073709551615u;
  record.cases = std::move(cases);
  for (const PlannedCase& planned : record.cases) {
    record.planned_trials += planned.rounds * static_cast<int64_t>(planned.variants.size());
  }
  const Json host = Json::object({{"kernel", "6.1.0-28-amd64"},
                                  {"cpu", Json::object({{"model", "Example 7"}, {"cores", 4}})},
                                  {"memory_bytes", int64_t{8} << 30}});
  const Json binary =
      Json::object({{"machine", "reader"}, {"path", "/usr/bin/rsync"}, {"sha256", digest_of('7')}});
  record.context =
      Json::object({{"machines", Json::array({Json::object({{"name", "writer"}, {"host", host}}),
                                              Json::object({{"name", "reader"}, {"host", host}})})},
                    {"tools", Json::array({Json::object({{"name", "rsync-ssh"},
                                                         {"version", "3.2.7"},
                                                         {"file_digest", digest_of('8')},
                                                         {"binaries", Json::array({binary})},
                                                         {"notes", "delta off: <b>whole files</b>"},
                                                         {"error", nullptr}})})}});
  return record;
}

inline PlannedCase planned(const std::string& name, int64_t rounds,
                           std::vector<std::string> variants) {
  PlannedCase record;
  record.name = name;
  record.title = "Pull, " + name;
  record.scenario = "pull";
  record.dataset = "one-128MB";
  record.dataset_title = "one file of 128 MB, random bytes";
  record.wire = "away";
  record.wire_title = "40 Mbit/s each way, 80 ms round trip";
  record.rounds = rounds;
  record.variants = std::move(variants);
  return record;
}

inline ResultsFile results(std::vector<Record> records) {
  ResultsFile file;
  file.path = "results.jsonl";
  file.records = std::move(records);
  int64_t number = 0;
  for (Record& record : file.records) {
    if (auto* trial = std::get_if<TrialRecord>(&record)) trial->trial = ++number;
  }
  return file;
}

}  // namespace fairwire::testing_records
