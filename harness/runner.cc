#include "harness/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "datasets/spec.h"
#include "drivers/interrupt.h"
#include "harness/calibrate.h"
#include "harness/context.h"
#include "harness/data_files.h"
#include "harness/fairwire.h"
#include "harness/progress.h"
#include "harness/run_dir.h"
#include "harness/trial.h"
#include "reports/report.h"
#include "reports/results_file.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumInput = 4 << 20;

DatasetSpec load_recipe(const std::string& name, const Plan& plan) {
  const std::string file = find_data_file(kSpecsRoom, name, plan.file, "");
  return parse_dataset_spec(Json::parse_file(file, kMaximumInput), file);
}

// A recipe's planned bytes, from the middle of its size tables: for the expected duration only.
int64_t rough_bytes(const DatasetSpec& spec) {
  int64_t bytes = 0;
  for (const FileGroup& group : spec.groups) {
    int64_t sum = 0;
    for (const int64_t size : group.size_quantiles) sum += size;
    if (!group.size_quantiles.empty()) {
      bytes += group.count * (sum / static_cast<int64_t>(group.size_quantiles.size()));
    }
  }
  return bytes;
}

std::vector<CaseSize> case_sizes(const Plan& plan, const TestbedSpec& testbed) {
  std::vector<CaseSize> sizes;
  for (const CaseSpec& spec : plan.cases) {
    const DatasetSpec recipe = load_recipe(spec.dataset, plan);
    CaseSize size;
    size.bytes = rough_bytes(recipe);
    size.files = recipe.planned_files();
    const WireSpec* wire = testbed.wire(spec.wire);
    for (const AccessSpec& access : wire->access) {
      const int64_t rate = std::max(access.up.bits_per_second, access.down.bits_per_second) / 8;
      if (rate > 0) size.wire_bytes_per_second = rate;
    }
    for (const PathSpec& path : wire->paths)
      size.round_trip = std::max(size.round_trip, 2 * path.delay);
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<PlannedCase> planned_cases(const Plan& plan, const TestbedSpec& testbed) {
  std::vector<PlannedCase> cases;
  for (const CaseSpec& spec : plan.cases) {
    const DatasetSpec recipe = load_recipe(spec.dataset, plan);
    PlannedCase planned{spec.name,
                        spec.title,
                        spec.scenario,
                        recipe.name,
                        recipe.title,
                        spec.wire,
                        testbed.wire(spec.wire)->title,
                        spec.rounds,
                        {}};
    for (const Variant& variant : spec.variants) planned.variants.push_back(variant.name);
    cases.push_back(std::move(planned));
  }
  return cases;
}

// The run while it goes on: what each trial needs, and the file it is recorded in.
class Run {
 public:
  Run(const Plan& plan, const TestbedSpec& testbed, const Builders& builders, Clock& clock,
      const RunSettings& settings)
      : plan_(plan),
        clock_(clock),
        settings_(settings),
        tools_(load_tools(plan)),
        schedule_(make_schedule(plan)),
        expected_(expected_duration(schedule_, case_sizes(plan, testbed))),
        testbed_(testbed, builders),
        folder_(settings.runs, plan.name, clock.wall()),
        shelf_(folder_.path() + "/datasets", plan.file, plan.seed),
        results_(folder_.results()) {}

  void announce() const {
    settings_.tell(fmt::format("{}: {} trials on {}, expected to take about {}\n",
                               printable(plan_.title), schedule_.size(),
                               printable(testbed_.spec().title), rough_duration(expected_)));
  }

  void open() {
    write_file(folder_.path() + "/plan.json", read_file(plan_.file, kMaximumInput));
    write_file(folder_.path() + "/testbed.json", read_file(testbed_.spec().file, kMaximumInput));
    context_ = gather_context(plan_, tools_, testbed_);
    write_file(folder_.path() + "/context.json", context_.json.dump_pretty());
    HeaderRecord header;
    header.run = folder_.run();
    header.session = session();
    header.started = utc_label(clock_.wall());
    header.fairwire_version = version();
    header.plan_name = plan_.name;
    header.plan_digest = plan_.digest;
    header.testbed_name = testbed_.spec().name;
    header.testbed_digest = testbed_.spec().digest;
    header.seed = plan_.seed;
    header.planned_trials = static_cast<int64_t>(schedule_.size());
    header.cases = planned_cases(plan_, testbed_.spec());
    header.context = context_.json;
    results_.append(header);
    for (const auto& [tool, reason] : context_.missing) note("warning", tool + ": " + reason);
  }

  // Calibrated, carried out, calibrated again: the status of the session.
  std::string carry_through() {
    try {
      if (!calibrate("before")) return "unfit";
      if (!carry_out()) return "interrupted";
      calibrate("after");
      return "complete";
    } catch (const Interrupted&) {
      note("warning", "interrupted while a wire was calibrated");
      return "interrupted";
    }
  }

  // Reads every wire of the plan; false when one is not what the testbed declares.
  bool calibrate(const std::string& when) {
    const std::vector<WirePair> pairs = wire_pairs(plan_);
    std::vector<std::string> hosts;
    if (when == "before") hosts = machines_to_probe(testbed_.spec(), pairs);
    note_uncrossed(pairs, when);
    bool good = true;
    for (const WirePair& pair : pairs) {
      std::vector<std::string> own;
      std::ranges::copy_if(hosts, std::back_inserter(own), [&](const std::string& name) {
        return name == pair.one || name == pair.other;
      });
      std::erase_if(hosts, [&](const std::string& name) {
        return std::ranges::find(own, name) != own.end();
      });
      good = calibrate_one(pair, own, when) && good;
    }
    return good;
  }

  // True when the whole schedule was carried out.
  bool carry_out() {
    Progress progress(static_cast<int64_t>(schedule_.size()), expected_, settings_.terminal, clock_,
                      settings_.tell);
    for (const PlannedTrial& planned : schedule_) {
      const CaseSpec& spec = plan_.cases[planned.case_index];
      progress.begin(spec.name, planned.variant, planned.round);
      try {
        check_interrupted();
        progress.end(append_trial(planned, one_trial(planned)));
      } catch (const Interrupted&) {
        progress.finish();
        note("warning", "interrupted in trial " + std::to_string(planned.trial));
        return false;
      }
    }
    progress.finish();
    return true;
  }

  void close(const std::string& status) {
    results_.append(EndRecord{session(), utc_label(clock_.wall()), status, recorded_});
  }

  const RunDir& folder() const { return folder_; }

 private:
  std::string session() const { return folder_.run(); }

  void note(const std::string& level, const std::string& text) {
    results_.append(NoteRecord{session(), utc_label(clock_.wall()), level, text});
  }

  // What was not read is said.
  void note_uncrossed(const std::vector<WirePair>& pairs, const std::string& when) {
    std::set<std::string> wires;
    for (const CaseSpec& spec : plan_.cases) wires.insert(spec.wire);
    for (const WirePair& pair : pairs) wires.erase(pair.wire);
    for (const std::string& wire : wires) {
      results_.append(CalibrationRecord{session(), when, wire, "not measured",
                                        "its cases stay on one machine", Json()});
    }
  }

  // A wire that promises something and cannot be read is as unfit as one that is out of bounds.
  bool calibrate_one(const WirePair& pair, const std::vector<std::string>& hosts,
                     const std::string& when) {
    const auto record = [&](CalibrationRecord made) {
      made.session = session();
      made.when = when;
      results_.append(made);
    };
    try {
      const std::vector<std::string> out = calibrate_pair(testbed_, pair, hosts, record);
      for (const std::string& figure : out) {
        settings_.tell("wire " + printable(pair.wire) + ", " + when +
                       " the trials: " + printable(figure) + "\n");
      }
      return out.empty();
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      CalibrationRecord failed;
      failed.wire = pair.wire;
      failed.status = "not measured";
      failed.reason = error.what();
      record(std::move(failed));
      const bool promises = testbed_.spec().wire(pair.wire)->kind == "tun";
      settings_.tell("wire " + printable(pair.wire) +
                     " could not be calibrated: " + printable(error.what()) + "\n");
      return !promises;
    }
  }

  TrialRecord one_trial(const PlannedTrial& planned) {
    const TrialContext context{
        plan_, tools_, testbed_, shelf_, clock_, session(), folder_.trial_folder(planned.trial)};
    const std::string& case_name = plan_.cases[planned.case_index].name;
    if (const auto unfit = context_.unfit.find(case_name); unfit != context_.unfit.end()) {
      return unsupported_record(context, planned, unfit->second);
    }
    const std::string tool = plan_tool(planned);
    if (const auto missing = context_.missing.find(tool); missing != context_.missing.end()) {
      return unsupported_record(context, planned, missing->second);
    }
    return run_trial(context, planned);
  }

  // A record that docs/results.md does not allow is a bug of ours; it must not end the campaign.
  TrialRecord append_trial(const PlannedTrial& planned, TrialRecord record) {
    try {
      results_.append(record);
    } catch (const std::range_error& error) {
      const TrialRecord broken = std::exchange(record, TrialRecord());
      record.session = session();
      record.trial = planned.trial;
      record.case_name = broken.case_name;
      record.scenario = broken.scenario;
      record.variant = planned.variant;
      record.control = planned.control;
      record.round = planned.round;
      record.order = planned.order;
      record.started = broken.started;
      record.wire = broken.wire;
      record.durability = broken.durability;
      record.reason = std::string("record: ") + error.what();
      results_.append(record);
    }
    ++recorded_;
    return record;
  }

  std::string plan_tool(const PlannedTrial& planned) const {
    for (const Variant& variant : plan_.cases[planned.case_index].variants) {
      if (variant.name == planned.variant) return variant.tool;
    }
    return planned.variant;
  }

  const Plan& plan_;
  Clock& clock_;
  const RunSettings& settings_;
  ToolBox tools_;
  std::vector<PlannedTrial> schedule_;
  Nanoseconds expected_;
  Testbed testbed_;
  RunDir folder_;
  Shelf shelf_;
  ResultsWriter results_;
  Context context_;
  int64_t recorded_ = 0;
};

ExitCode code_of(const Report& report) {
  ExitCode code = ExitCode::good;
  if (report.mismatched > 0) code = worse(code, ExitCode::mismatch);
  if (report.not_measured > 0 || report.wires_out > 0) code = worse(code, ExitCode::not_measured);
  return code;
}

}  // namespace

ReportResult write_report(const std::vector<std::string>& results_files, const std::string& page,
                          const std::string& folder) {
  ReportInput input;
  for (const std::string& file : results_files) input.runs.push_back(read_results(file));
  if (!page.empty()) {
    input.page_file = find_data_file(kPagesRoom, page, "", "");
    input.page = Json::parse_file(input.page_file, kMaximumInput);
  }
  const Report report = make_report(input);
  make_directories(folder);
  write_file(folder + "/index.html", report.html);
  write_file(folder + "/report.md", report.markdown);
  write_file(folder + "/summary.json", report.summary.dump_pretty());
  return {code_of(report), folder + "/index.html", report.terminal};
}

PlanCost plan_cost(const Plan& plan, const TestbedSpec& testbed) {
  check_plan(plan, testbed);
  load_tools(plan);
  const std::vector<CaseSize> sizes = case_sizes(plan, testbed);
  const std::vector<PlannedTrial> schedule = make_schedule(plan);
  PlanCost cost;
  cost.trials = static_cast<int64_t>(schedule.size());
  cost.duration = expected_duration(schedule, sizes);
  for (const PlannedTrial& trial : schedule) {
    if (!trial.control) cost.bytes += sizes[trial.case_index].bytes;
  }
  return cost;
}

RunResult run_plan(const Plan& plan, const TestbedSpec& testbed, const Builders& builders,
                   Clock& clock, const RunSettings& settings) {
  check_plan(plan, testbed);
  Run run(plan, testbed, builders, clock, settings);
  const std::string page =
      plan.page.empty() ? "" : find_data_file(kPagesRoom, plan.page, plan.file, "/page");
  run.announce();
  run.open();
  const std::string status = run.carry_through();
  run.close(status);
  const ReportResult report =
      write_report({run.folder().results()}, page, run.folder().report_folder());
  RunResult result{report.code, run.folder().path(), report.page, report.table};
  if (status == "interrupted") result.code = worse(result.code, ExitCode::interrupted);
  return result;
}

}  // namespace fairwire
