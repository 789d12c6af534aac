#include "reports/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "reports/format.h"

namespace fairwire {
namespace {

using SessionKey = std::pair<size_t, std::string>;  // run, session
using RoundKey = std::pair<SessionKey, int64_t>;    // of one case
using Trials = std::map<RoundKey, const CellTrial*>;

// A round that was repeated after an interruption counts once: the first trial that is good.
Trials by_round(const Cell& cell) {
  Trials trials;
  for (const CellTrial& trial : cell.trials) {
    const RoundKey key{{trial.run, trial.record->session}, trial.record->round};
    const auto [place, is_new] = trials.emplace(key, &trial);
    if (!is_new && !place->second->counted()) place->second = &trial;
  }
  return trials;
}

bool is_usable(const CellTrial& trial) {
  return trial.counted() && *trial.seconds > 0;
}

struct Pair {
  SessionKey session;
  const CellTrial* baseline;
  const CellTrial* variant;
  double log_ratio() const { return std::log(*variant->seconds / *baseline->seconds); }
};

std::vector<Pair> pairs_of(const Cell& baseline, const Cell& variant, Comparison& comparison) {
  const Trials firsts = by_round(baseline);
  const Trials seconds = by_round(variant);
  std::set<RoundKey> rounds;
  for (const auto& [round, trial] : firsts) rounds.insert(round);
  for (const auto& [round, trial] : seconds) rounds.insert(round);
  std::vector<Pair> pairs;
  for (const RoundKey& round : rounds) {
    const auto first = firsts.find(round);
    const auto second = seconds.find(round);
    if (first == firsts.end() || second == seconds.end() || !is_usable(*first->second) ||
        !is_usable(*second->second)) {
      ++comparison.incomplete;
    } else if (!first->second->contamination.empty() || !second->second->contamination.empty()) {
      ++comparison.contaminated;
    } else {
      pairs.push_back({round.first, first->second, second->second});
    }
  }
  return pairs;
}

// Of one side of a comparison: what must be alike on both.
class Circumstances {
 public:
  void add(const Pool& pool, const CellTrial& trial) {
    const TrialRecord& record = *trial.record;
    const PooledRun& run = pool.runs[trial.run];
    if (const auto facts = run.sessions.find(record.session); facts != run.sessions.end()) {
      hosts_.insert(facts->second.host);
      testbeds_.insert(facts->second.testbed_digest);
    }
    datasets_.insert(record.dataset_digest);
    conditions_.insert(record.conditions.dump());
    wires_.insert(record.wire);
  }
  /// Why these times do not belong together; empty when they do.
  std::string difference() const {
    if (hosts_.size() > 1) return "unlike hosts (kernel, CPU, governor or clock source)";
    if (datasets_.size() > 1) return "different data sets";
    if (conditions_.size() > 1) return "different conditions";
    if (wires_.size() > 1) return "different wires";
    if (testbeds_.size() > 1) return "different testbed files";
    return "";
  }

 private:
  std::set<std::string> hosts_, testbeds_, datasets_, conditions_, wires_;
};

void say_why_not_measured(Comparison& comparison, const Cell& baseline, const Cell& variant) {
  if (comparison.contaminated > 0 && comparison.incomplete == 0) {
    comparison.reason = "every round is contaminated";
    return;
  }
  for (const Cell* cell : {&baseline, &variant}) {
    if (cell->state == CellState::verified) continue;
    comparison.reason +=
        (comparison.reason.empty() ? "" : "; ") + cell->variant + ": " + cell->state_text;
  }
  if (comparison.reason.empty()) comparison.reason = "no round in which both count";
}

bool agrees(double log_ratio, Finding finding, double threshold_percent) {
  switch (finding) {
    case Finding::slower:
      return log_ratio > 0;
    case Finding::faster:
      return log_ratio < 0;
    case Finding::same:
      return std::abs(log_ratio) <= std::log1p(threshold_percent / 100);
    default:
      return true;
  }
}

// The estimate of all pairs stands only when no session contradicts it: sessions may differ by
// more than their rounds do, and the interval does not know that.
void hold_sessions_against(Comparison& comparison) {
  if (comparison.sessions.size() < 2) return;
  const Finding finding = comparison.decision.finding;
  const bool all_agree = std::ranges::all_of(comparison.sessions, [&](const SessionRatio& session) {
    return agrees(std::log(session.ratio), finding, comparison.threshold_percent);
  });
  if (all_agree) return;
  comparison.decision.finding = Finding::inconclusive;
  comparison.reason = "sessions disagree";
}

void add_sessions(const Pool& pool, const std::vector<Pair>& pairs, Comparison& comparison) {
  std::map<SessionKey, std::vector<double>> by_session;
  for (const Pair& pair : pairs) by_session[pair.session].push_back(pair.log_ratio());
  for (const auto& [key, ratios] : by_session) {
    comparison.sessions.push_back(
        {pool.runs[key.first].name, key.second, ratios.size(), std::exp(*hodges_lehmann(ratios))});
  }
}

Comparison begin(const Cell& baseline, const Cell& variant, bool paired, double threshold_percent) {
  Comparison comparison;
  comparison.case_name = variant.case_name;
  comparison.baseline = baseline.variant;
  comparison.variant = variant.variant;
  comparison.paired = paired;
  comparison.threshold_percent = threshold_percent;
  return comparison;
}

// Not comparable and not measured come before any estimate.
bool is_settled(Comparison& comparison, const Circumstances& circumstances, const Cell& baseline,
                const Cell& variant) {
  if (comparison.n() == 0) {
    say_why_not_measured(comparison, baseline, variant);
    return true;
  }
  comparison.reason = circumstances.difference();
  if (comparison.reason.empty()) return false;
  comparison.decision.finding = Finding::not_comparable;
  return true;
}

std::vector<double> sample_of(const Pool& pool, const Cell& cell, Circumstances& circumstances,
                              Comparison& comparison) {
  std::vector<double> seconds;
  for (const CellTrial& trial : cell.trials) {
    if (!is_usable(trial)) {
      ++comparison.incomplete;
    } else if (!trial.contamination.empty()) {
      ++comparison.contaminated;
    } else {
      seconds.push_back(*trial.seconds);
      circumstances.add(pool, trial);
    }
  }
  return seconds;
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

}  // namespace

size_t Comparison::n() const {
  return std::min(baseline_seconds.n, variant_seconds.n);
}

Comparison compare_paired(const Pool& pool, const Cell& baseline, const Cell& variant,
                          double threshold_percent) {
  Comparison comparison = begin(baseline, variant, true, threshold_percent);
  const std::vector<Pair> pairs = pairs_of(baseline, variant, comparison);
  Circumstances circumstances;
  std::vector<double> firsts, seconds, log_ratios;
  for (const Pair& pair : pairs) {
    circumstances.add(pool, *pair.baseline);
    circumstances.add(pool, *pair.variant);
    firsts.push_back(*pair.baseline->seconds);
    seconds.push_back(*pair.variant->seconds);
    log_ratios.push_back(pair.log_ratio());
  }
  comparison.baseline_seconds = summarize(firsts);
  comparison.variant_seconds = summarize(seconds);
  add_sessions(pool, pairs, comparison);
  if (is_settled(comparison, circumstances, baseline, variant)) return comparison;
  comparison.decision =
      decide(signed_rank_estimate(log_ratios), log_ratios.size(), threshold_percent);
  hold_sessions_against(comparison);
  return comparison;
}

Comparison compare_unpaired(const Pool& before_pool, const Cell& before, const Pool& after_pool,
                            const Cell& after, double threshold_percent) {
  Comparison comparison = begin(before, after, false, threshold_percent);
  Circumstances circumstances;
  const std::vector<double> firsts = sample_of(before_pool, before, circumstances, comparison);
  const std::vector<double> seconds = sample_of(after_pool, after, circumstances, comparison);
  comparison.baseline_seconds = summarize(firsts);
  comparison.variant_seconds = summarize(seconds);
  if (is_settled(comparison, circumstances, before, after)) return comparison;
  comparison.decision = decide(rank_sum_estimate(logarithms(firsts), logarithms(seconds)),
                               comparison.n(), threshold_percent);
  return comparison;
}

std::string rounds_of(const Comparison& comparison) {
  std::string text = "n = " + format_count(static_cast<int64_t>(comparison.baseline_seconds.n));
  if (!comparison.paired && comparison.variant_seconds.n != comparison.baseline_seconds.n) {
    text += " and " + format_count(static_cast<int64_t>(comparison.variant_seconds.n));
  }
  if (comparison.contaminated > 0) {
    text += ", " + format_count(comparison.contaminated) + " contaminated left out";
  }
  if (comparison.incomplete > 0) {
    text += ", " + format_count(comparison.incomplete) + " not counted";
  }
  return text;
}

std::string verdict_text(const Comparison& comparison) {
  std::string text = to_string(comparison.decision.finding);
  if (!comparison.reason.empty()) return text + ": " + comparison.reason;
  if (comparison.decision.finding == Finding::inconclusive) {
    text += ": " + rounds_text(comparison.decision);
  }
  return text;
}

}  // namespace fairwire
