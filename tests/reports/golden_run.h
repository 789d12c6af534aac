// One run that meets every outcome, verdict and flag, with six rounds, two, one and none: the run
// behind tests/golden/.
#pragma once

#include "tests/reports/records_for_tests.h"

namespace fairwire::testing_records {

inline void add_large_case(std::vector<Record>& records) {
  const double fairsync[] = {28.02, 28.11, 28.05, 28.31, 28.08, 28.20};
  const double rsync[] = {28.14, 28.90, 28.33, 28.52, 28.41, 28.65};
  const double scp[] = {31.56, 31.90, 31.44, 31.71, 31.63, 31.58};
  for (int64_t round = 1; round <= 6; ++round) {
    records.push_back(control("pipe-1", round, 9.1 + 0.1 * static_cast<double>(round)));
    records.push_back(control("pipe-16", round, 8.40 + 0.01 * static_cast<double>(round)));
    records.push_back(control("kernel", round, 1.52, 64 * kMegabyte));
    const auto i = static_cast<size_t>(round - 1);
    records.push_back(pull("pull-large", "fairsync", round, fairsync[i]));
    records.push_back(pull("pull-large", "rsync-ssh", round, rsync[i]));
    records.push_back(pull("pull-large", "scp", round, scp[i]));
  }
  auto& contaminated = std::get<TrialRecord>(records.back());
  contaminated.flags = {Flag::contaminated};
}

inline void add_small_case(std::vector<Record>& records) {
  for (int64_t round = 1; round <= 2; ++round) {
    TrialRecord good = pull("pull-small", "fairsync", round, round == 1 ? 0.842 : 0.918, 4000);
    good.durability = "syncfs";
    good.sources = {{"writer", "direct", 4000, kPayload}, {"bucket", "bucket", 12, kMegabyte}};
    good.wire = "fast";
    records.push_back(good);
    TrialRecord liar = pull("pull-small", "liar", round, 0.31, 4000);
    if (round == 2) {
      liar = mismatched(liar, &VerdictRecord::content,
                        {"content", escape_name(kHostileName), "size 7 021 153", "size 0"});
      liar.verdicts[0].verified_bytes = 0;
      liar.verdicts[0].different = 4000;
      liar.flags = {Flag::wrote_after_exit, Flag::sources_disagree};
    }
    records.push_back(liar);
    TrialRecord careless = pull("pull-small", "careless", round, 1.12, 4000);
    careless = mismatched(careless, &VerdictRecord::metadata,
                          {"mode", "bin/run", "mode 0755", "mode 0644"});
    careless.verdicts[0].mode_different = 1;
    careless.verdicts[0].different = 0;
    records.push_back(careless);
  }
}

inline void add_troubled_case(std::vector<Record>& records) {
  const std::string name = "update";
  TrialRecord single = pull(name, "single", 1, 1234.5);
  single.flags = {Flag::single_run, Flag::start_up_bound};
  single.machines[0] = MachineRecord{};
  single.machines[0].machine = single.machines[0].role = "writer";
  single.machines[0].cpu_method = "none";
  single.machines[1].prepare_wall_ns = seconds(0.4);
  single.machines[1].prepare_cpu_us = 210'000;
  single.wires.clear();
  records.push_back(single);
  TrialRecord failed = ended(pull(name, "failing", 1, 3.2), Outcome::tool_failed,
                             "rsync: exit code 23, see \x1b[31mreader/pull.err");
  failed.flags = {Flag::left_processes};
  records.push_back(failed);
  records.push_back(
      ended(pull(name, "hanging", 1, 600), Outcome::timed_out, "no progress for 60 s"));
  records.push_back(
      ended(pull(name, "copy-only", 1, 0), Outcome::unsupported, "scp cannot update a tree"));
  records.push_back(
      ended(pull(name, "moving", 1, 4.5), Outcome::source_changed, "the writer's tree changed"));
  records.push_back(
      ended(pull(name, "broken", 1, 2.5), Outcome::harness_error, "agent reader went away"));
  TrialRecord invalid = pull(name, "late", 1, 5.5);
  invalid.flags = {Flag::invalid};
  records.push_back(invalid);
  TrialRecord unjudged = pull(name, "unjudged", 1, 6.5);
  unjudged.verdict = Verdict::unknown;
  unjudged.verdicts.clear();
  records.push_back(unjudged);
}

inline ResultsFile golden_run() {
  PlannedCase update = planned("update", 1,
                               {"single", "failing", "hanging", "copy-only", "moving", "broken",
                                "late", "unjudged", "never-ran"});
  update.scenario = "update";
  PlannedCase small = planned("pull-small", 2, {"fairsync", "liar", "careless"});
  small.dataset_title = "4 000 files, 128 MB";
  small.wire = "fast";
  small.wire_title = "10 Gbit/s, no delay";
  std::vector<Record> records;
  records.push_back(
      header({planned("pull-large", 6, {"fairsync", "rsync-ssh", "scp"}), small, update}));
  records.push_back(CalibrationRecord{
      "s1", "before", "away", "within bounds", "",
      Json::object({{"theory_bytes_per_second", 4'707'412}, {"rtt_median_us", 80'112}})});
  add_large_case(records);
  add_small_case(records);
  add_troubled_case(records);
  records.push_back(NoteRecord{"s1", "2026-11-30T22:30:00Z", "warning",
                               "page cache not dropped: not permitted <here>"});
  records.push_back(
      PublishedRecord{"a page of 2026-11-09", "pull-large", "scp", "wall time", 28.56, "s"});
  records.push_back(CalibrationRecord{"s1", "after", "away", "out of bounds",
                                      "loss 1.4 % where 1 % was stated", nullptr});
  records.push_back(EndRecord{"s1", "2026-11-30T22:40:00Z", "complete", 50});
  return results(std::move(records));
}

}  // namespace fairwire::testing_records
