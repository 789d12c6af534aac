#include "reports/pool.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "reports/format.h"

namespace fairwire {
namespace {

std::string counted(int64_t count, const std::string& noun) {
  return format_count(count) + " " + noun + (count == 1 ? "" : "s");
}

class Pooling {
 public:
  explicit Pooling(const std::vector<ResultsFile>& runs) {
    for (const ResultsFile& run : runs) add_run(run);
    for (PooledCase& pooled : pool_.cases) finish_case(pooled);
    warn_of_different_plans();
    warn_of_different_hosts();
  }
  Pool take() { return std::move(pool_); }

 private:
  void add_run(const ResultsFile& run) {
    pool_.runs.push_back({run.path, false, {}});
    first_of_run_ = true;
    recorded_ = planned_ = 0;
    for (const Record& record : run.records) {
      std::visit([this](const auto& fields) { add(fields); }, record);
    }
    warn_of_unfinished(run);
  }

  void add(const HeaderRecord& header) {
    pool_.headers.push_back(&header);
    pool_.runs.back().name = header.run;
    pool_.runs.back().complete = false;
    pool_.runs.back().sessions[header.session] = {fingerprint(header), header.testbed_digest};
    planned_ = header.planned_trials;
    for (const PlannedCase& planned : header.cases) {
      const auto [index, is_new] = case_index(planned.name);
      PooledCase& pooled = pool_.cases[index];
      if (is_new || pooled.plan.variants.empty()) {
        pooled.plan = planned;
        variants_[index] = {planned.variants.begin(), planned.variants.end()};
      } else {
        // A resumed run repeats its header; another run adds its rounds.
        if (first_of_run_) pooled.plan.rounds += planned.rounds;
        for (const std::string& variant : planned.variants) know_variant(index, variant);
      }
    }
    first_of_run_ = false;
  }

  void add(const TrialRecord& trial) {
    ++recorded_;
    const PooledTrial pooled{&trial, pool_.runs.size() - 1};
    if (trial.control) {
      pool_.controls.push_back(pooled);
      return;
    }
    const auto [index, is_new] = case_index(trial.case_name);
    if (is_new) {
      PlannedCase& plan = pool_.cases[index].plan;
      plan.name = plan.title = trial.case_name;
      plan.scenario = trial.scenario;
      plan.dataset = plan.dataset_title = trial.dataset;
      plan.wire = plan.wire_title = trial.wire;
    }
    know_variant(index, trial.variant);
    pool_.cases[index].trials[trial.variant].push_back(pooled);
  }

  void add(const CalibrationRecord& calibration) { pool_.calibrations.push_back(&calibration); }
  void add(const NoteRecord& note) { pool_.notes.push_back(&note); }
  void add(const PublishedRecord& published) { pool_.published.push_back(&published); }
  void add(const EndRecord& end) { pool_.runs.back().complete = end.status == "complete"; }

  std::pair<size_t, bool> case_index(const std::string& name) {
    const auto [place, is_new] = indices_.emplace(name, pool_.cases.size());
    if (is_new) {
      pool_.cases.emplace_back();
      variants_.emplace_back();
    }
    return {place->second, is_new};
  }

  void know_variant(size_t index, const std::string& variant) {
    if (!variants_[index].insert(variant).second) return;
    pool_.cases[index].plan.variants.push_back(variant);
  }

  // What a tool says of itself is beside the numbers, never in them; that it said nothing readable
  // is for its reader to know.
  void warn_of_unparsable(const PooledCase& pooled, const std::string& variant,
                          const std::vector<PooledTrial>& trials) {
    int64_t count = 0;
    const std::string* first = nullptr;
    for (const PooledTrial& trial : trials) {
      if (trial.record->unparsable.empty()) continue;
      if (first == nullptr) first = &trial.record->unparsable.front();
      ++count;
    }
    if (first == nullptr) return;
    pool_.warnings.push_back("Case " + pooled.plan.name + ", " + variant +
                             ": its own counters are unparsable in " + counted(count, "trial") +
                             " (" + *first + "); they are kept as files and read as nothing.");
  }

  void finish_case(PooledCase& pooled) {
    std::set<std::string> digests;
    std::set<std::string> conditions;
    for (auto& [variant, trials] : pooled.trials) {
      warn_of_unparsable(pooled, variant, trials);
      std::ranges::stable_sort(trials, {}, [](const PooledTrial& trial) {
        return std::tuple(trial.run, trial.record->round, trial.record->trial);
      });
      for (const PooledTrial& trial : trials) {
        if (!trial.record->dataset_digest.empty()) digests.insert(trial.record->dataset_digest);
        conditions.insert(trial.record->conditions.dump());
      }
    }
    if (digests.size() > 1) {
      pool_.warnings.push_back("Case " + pooled.plan.name + ": its trials moved " +
                               counted(static_cast<int64_t>(digests.size()), "different data set") +
                               "; their times do not belong together.");
    }
    if (conditions.size() > 1) {
      pool_.warnings.push_back("Case " + pooled.plan.name +
                               ": its trials ran under different conditions; their times do not "
                               "belong together.");
    }
  }

  void warn_of_unfinished(const ResultsFile& run) {
    const std::string& name = pool_.runs.back().name;
    if (run.records.empty()) {
      pool_.warnings.push_back("Run " + name + " has no record: it ended before its header.");
    } else if (!pool_.runs.back().complete) {
      pool_.warnings.push_back("Run " + name + " was interrupted: " + format_count(recorded_) +
                               " of " + counted(planned_, "planned trial") + " recorded.");
    }
    if (run.torn_bytes > 0) {
      pool_.warnings.push_back("Run " + name + ": the last line was torn and is left out (" +
                               counted(run.torn_bytes, "byte") + ").");
    }
  }

  void warn_of_different_plans() {
    std::set<std::string> digests;
    for (const HeaderRecord* header : pool_.headers) digests.insert(header->plan_digest);
    if (digests.size() > 1) {
      pool_.warnings.push_back(
          "The pooled runs followed " +
          counted(static_cast<int64_t>(digests.size()), "different plan file") + ".");
    }
  }

  // Case C20: what decides how fast a host is. Facts that move while it runs are left aside.
  static std::string fingerprint(const HeaderRecord& header) {
    static constexpr std::string_view kFacts[] = {"kernel", "cpu",          "cpus",    "cpu_model",
                                                  "cores",  "clock_source", "governor"};
    std::string text;
    const Json* machines = header.context.find("machines");
    if (machines == nullptr || machines->if_array() == nullptr) return text;
    for (const Json& machine : *machines->if_array()) {
      const Json* host = machine.find("host");
      for (const std::string_view fact : kFacts) {
        const Json* value = host == nullptr ? nullptr : host->find(fact);
        text += (value == nullptr ? "" : value->dump()) + "\n";
      }
    }
    return text;
  }

  void warn_of_different_hosts() {
    std::set<std::string> fingerprints;
    for (const HeaderRecord* header : pool_.headers) fingerprints.insert(fingerprint(*header));
    if (fingerprints.size() > 1) {
      pool_.warnings.push_back(
          "The sessions pooled here had different hosts (kernel, CPU, governor or clock source): "
          "their times are not comparable with each other.");
    }
  }

  Pool pool_;
  std::map<std::string, size_t> indices_;
  std::vector<std::set<std::string>> variants_;  // known ones, by case
  bool first_of_run_ = true;
  int64_t recorded_ = 0;
  int64_t planned_ = 0;
};

}  // namespace

Pool pool_runs(const std::vector<ResultsFile>& runs) {
  return Pooling(runs).take();
}

}  // namespace fairwire
