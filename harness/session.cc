#include "harness/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "drivers/interrupt.h"
#include "harness/fairwire.h"
#include "harness/plan_cost.h"
#include "harness/progress.h"
#include "harness/run_inputs.h"

namespace fairwire {
namespace {

ResultsWriter open_results(const std::string& path) {
  try {
    return ResultsWriter(path);
  } catch (const SystemError& error) {
    if (error.error_number != EWOULDBLOCK) throw;
    throw FormatError(path, "", "another fairwire is writing to this run; wait for its end");
  }
}

}  // namespace

Session::Session(const Plan& plan, const TestbedSpec& testbed, const Builders& builders,
                 Clock& clock, const RunSettings& settings, const RunDir& folder)
    : plan_(plan),
      clock_(clock),
      settings_(settings),
      tools_(load_tools(plan)),
      schedule_(make_schedule(plan)),
      testbed_(testbed, builders),
      folder_(folder),
      shelf_(folder.path() + "/datasets", plan.file, plan.seed),
      results_(open_results(folder.results())),
      earlier_(read_earlier(read_results(folder.results()), plan, testbed, schedule_)) {
  std::ranges::copy_if(schedule_, std::back_inserter(todo_), [&](const PlannedTrial& planned) {
    return !earlier_.trials.contains(planned.trial);
  });
  expected_ = expected_duration(todo_, case_sizes(plan, testbed));
}

void Session::announce() const {
  const std::string left =
      earlier_.sessions == 0 ? "" : fmt::format(" of {} left", schedule_.size());
  settings_.tell(fmt::format("{}: {} trials{} on {}, expected to take about {}\n",
                             printable(plan_.title), todo_.size(), left,
                             printable(testbed_.spec().title), rough_duration(expected_)));
}

void Session::open() {
  if (earlier_.sessions == 0) keep_inputs(plan_, tools_, testbed_.spec(), folder_.path());
  context_ = gather_context(plan_, tools_, testbed_);
  check_same(earlier_, version(), context_.json, folder_.path());
  write_file(folder_.path() + "/context.json", context_.json.dump_pretty());
  results_.append(header());
  if (!results_.torn().empty()) {
    note("warning",
         fmt::format("the last line, of {} bytes, had no end; it is in {}, and its trial "
                     "is run again",
                     results_.torn().size(), kTornFile));
  }
  for (const auto& [tool, reason] : context_.missing) note("warning", tool + ": " + reason);
}

HeaderRecord Session::header() const {
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
  return header;
}

std::string Session::session() const {
  return earlier_.sessions == 0 ? folder_.run()
                                : folder_.run() + "/" + std::to_string(earlier_.sessions + 1);
}

std::string Session::carry_through() {
  try {
    if (!todo_.empty() && !calibrate("before")) return "unfit";
    if (!carry_out()) return "interrupted";
    calibrate("after");
    return "complete";
  } catch (const Interrupted&) {
    note("warning", "interrupted while a wire was calibrated");
    return "interrupted";
  }
}

// Reads every wire of the plan; false when one is not what the testbed declares.
bool Session::calibrate(const std::string& when) {
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
    std::erase_if(
        hosts, [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); });
    good = calibrate_one(pair, own, when) && good;
  }
  return good;
}

// True when everything that was left was carried out.
bool Session::carry_out() {
  Progress progress(static_cast<int64_t>(todo_.size()), expected_, settings_.terminal, clock_,
                    settings_.tell);
  for (const PlannedTrial& planned : todo_) {
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

void Session::close(const std::string& status) {
  results_.append(EndRecord{session(), utc_label(clock_.wall()), status, recorded_});
}

void Session::note(const std::string& level, const std::string& text) {
  results_.append(NoteRecord{session(), utc_label(clock_.wall()), level, text});
}

// What was not read is said.
void Session::note_uncrossed(const std::vector<WirePair>& pairs, const std::string& when) {
  std::set<std::string> wires;
  for (const CaseSpec& spec : plan_.cases) wires.insert(spec.wire);
  for (const WirePair& pair : pairs) wires.erase(pair.wire);
  for (const std::string& wire : wires) {
    results_.append(CalibrationRecord{session(), when, wire, "not measured",
                                      "its cases stay on one machine", Json()});
  }
}

// A wire that promises something and cannot be read is as unfit as one that is out of bounds.
bool Session::calibrate_one(const WirePair& pair, const std::vector<std::string>& hosts,
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

TrialRecord Session::one_trial(const PlannedTrial& planned) {
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
TrialRecord Session::append_trial(const PlannedTrial& planned, TrialRecord record) {
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

std::string Session::plan_tool(const PlannedTrial& planned) const {
  for (const Variant& variant : plan_.cases[planned.case_index].variants) {
    if (variant.name == planned.variant) return variant.tool;
  }
  return planned.variant;
}

}  // namespace fairwire
