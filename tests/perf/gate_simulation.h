// Times as a benchmark on a shared machine meets them, and the gate that judges them: the rule of
// reports/finding.h on simulated trials. Seeded; the same table on every machine of one libm.
// Model of the logarithm of a time: noise (normal) + drift (a random walk over the trials of a
// batch, whoever runs) + spikes (a share of trials that take half as long again, unseen by any
// control) + the true effect of the variant.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/rng.h"
#include "reports/finding.h"
#include "reports/stat.h"

namespace fairwire::gate_simulation {

struct Weather {
  const char* name = "";
  double noise = 0.05;        ///< standard deviation of a trial, as a share
  double drift_step = 0;      ///< standard deviation of a step of the walk, a step a trial
  double spike_share = 0;     ///< of trials
  double spike_factor = 1.5;  ///< of their time
};

class Trials {
 public:
  Trials(const Weather& weather, uint64_t seed) : weather_(weather), rng_(seed) {}

  double log_time(double effect) {
    drift_ += weather_.drift_step * normal();
    const double spike = uniform() < weather_.spike_share ? std::log(weather_.spike_factor) : 0;
    return effect + drift_ + spike + weather_.noise * normal();
  }

 private:
  double uniform() { return (static_cast<double>(rng_.next() >> 11) + 0.5) * 0x1p-53; }
  double normal() {  // Box and Muller, 1958
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  Weather weather_;
  Rng rng_;
  double drift_ = 0;
};

/// One batch of a gate: rounds in the order A B, B A, B A, A B, judged by the rule.
inline std::vector<double> paired_batch(Trials& trials, size_t rounds, double effect) {
  std::vector<double> log_ratios;
  for (size_t round = 0; round < rounds; ++round) {
    const bool swapped = round % 4 == 1 || round % 4 == 2;
    const double first = trials.log_time(swapped ? effect : 0);
    const double second = trials.log_time(swapped ? 0 : effect);
    log_ratios.push_back(swapped ? first - second : second - first);
  }
  return log_ratios;
}

inline Decision judge(const std::vector<double>& log_ratios) {
  return decide(signed_rank_estimate(log_ratios), log_ratios.size(), kDefaultThresholdPercent);
}

/// What `fairwire compare --plan` does: a flagged batch is confirmed by a fresh one.
inline bool gate_says_slower(const Weather& weather, size_t rounds, double effect, uint64_t seed) {
  Trials first(weather, derive_seed(seed, "batch"));
  std::vector<double> both = paired_batch(first, rounds, effect);
  if (!judge(both).is_flagged) return false;
  Trials second(weather, derive_seed(seed, "fresh batch"));
  const std::vector<double> fresh = paired_batch(second, rounds, effect);
  both.insert(both.end(), fresh.begin(), fresh.end());
  return is_confirmed(judge(fresh), judge(both), kDefaultThresholdPercent);
}

/// What people do by hand: all of A, then all of B. Slower by two rules: the medians are more than
/// 5 % apart; the rank-sum test is significant (its interval lies above no difference).
struct Sequential {
  bool by_medians = false;
  bool by_test = false;
};
inline Sequential judge_sequential(const std::vector<double>& a, const std::vector<double>& b) {
  return {*median(b) - *median(a) > std::log1p(kDefaultThresholdPercent / 100),
          rank_sum_estimate(a, b)->low > 0};
}
inline Sequential sequential_batch(const Weather& weather, size_t rounds, double effect,
                                   uint64_t seed) {
  Trials trials(weather, derive_seed(seed, "sequential"));
  std::vector<double> a, b;
  for (size_t i = 0; i < rounds; ++i) a.push_back(trials.log_time(0));
  for (size_t i = 0; i < rounds; ++i) b.push_back(trials.log_time(effect));
  return judge_sequential(a, b);
}

struct Rates {
  double one_batch = 0;         ///< identical pair, one batch says slower
  double false_alarms = 0;      ///< identical pair, gate with confirmation
  double power = 0;             ///< +20 %, gate with confirmation
  double naive_by_medians = 0;  ///< identical pair, sequential
  double naive_by_test = 0;
};

inline Rates rates_of(const Weather& weather, size_t rounds, size_t times, uint64_t seed) {
  Rates rates;
  const double share = 1 / static_cast<double>(times);
  for (size_t i = 0; i < times; ++i) {
    const uint64_t own = derive_seed(seed + i, weather.name);
    Trials one(weather, derive_seed(own, "one"));
    rates.one_batch += share * (judge(paired_batch(one, rounds, 0)).finding == Finding::slower);
    rates.false_alarms += share * gate_says_slower(weather, rounds, 0, own);
    rates.power += share * gate_says_slower(weather, rounds, std::log(1.2), own);
    const Sequential naive = sequential_batch(weather, rounds, 0, own);
    rates.naive_by_medians += share * naive.by_medians;
    rates.naive_by_test += share * naive.by_test;
  }
  return rates;
}

/// Steps of 1.5 % a trial are some 7 % over a batch of 20 trials.
inline const std::vector<Weather> kWeathers = {
    {"3 % noise", 0.03, 0, 0},
    {"5 % noise", 0.05, 0, 0},
    {"7 % noise", 0.07, 0, 0},
    {"10 % noise", 0.10, 0, 0},
    {"5 % noise, drift", 0.05, 0.015, 0},
    {"5 % noise, spikes", 0.05, 0, 0.05},
    {"3 % noise, drift, spikes", 0.03, 0.015, 0.05},
    {"5 % noise, drift, spikes", 0.05, 0.015, 0.05},
    {"7 % noise, drift, spikes", 0.07, 0.015, 0.05},
    {"10 % noise, drift, spikes", 0.10, 0.015, 0.05},
};

}  // namespace fairwire::gate_simulation
