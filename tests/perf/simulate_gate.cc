// simulate_gate [TIMES]: the table of docs/method.md, from seeded simulation.
// simulate_gate --recorded RESULTS…: the same questions to recorded A/A series (two variants of one
// case that are one program), cut into batches of ten rounds that do not overlap.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reports/table.h"
#include "tests/perf/gate_simulation.h"

namespace {

using namespace fairwire;
using namespace fairwire::gate_simulation;

constexpr size_t kRounds = 10;

void simulate(size_t times) {
  std::printf("rounds a batch, %zu simulated gates a row, seed 1; all columns say \"slower\"\n\n",
              times);
  std::printf(
      "| weather | n | gate, one batch | gate, confirmed | +20 %%, confirmed | A then B, medians | "
      "A then B, rank sum |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const size_t rounds : {kRounds, 2 * kRounds}) {
    for (const Weather& weather : kWeathers) {
      const Rates rates = rates_of(weather, rounds, times, 1);
      std::printf("| %s | %zu | %.2f %% | %.2f %% | %.1f %% | %.1f %% | %.1f %% |\n", weather.name,
                  rounds, 100 * rates.one_batch, 100 * rates.false_alarms, 100 * rates.power,
                  100 * rates.naive_by_medians, 100 * rates.naive_by_test);
    }
  }
}

// The counted trials of both cells in the order in which they ran.
std::vector<double> in_order(const CaseTable& table) {
  std::vector<std::pair<int64_t, double>> trials;
  for (const Cell& cell : table.cells) {
    for (const CellTrial& trial : cell.trials) {
      if (trial.counted()) trials.emplace_back(trial.record->trial, std::log(*trial.seconds));
    }
  }
  std::ranges::sort(trials);
  std::vector<double> times;
  for (const auto& [number, time] : trials) times.push_back(time);
  return times;
}

std::vector<double> batch_of(const CaseTable& table, size_t first) {
  std::vector<double> log_ratios;
  for (size_t i = first; i < first + kRounds; ++i) {
    const CellTrial& a = table.cells[0].trials[i];
    const CellTrial& b = table.cells[1].trials[i];
    if (!a.counted() || !b.counted() || !a.contamination.empty()) continue;
    log_ratios.push_back(std::log(*b.seconds / *a.seconds));
  }
  return log_ratios;
}

struct Tally {
  size_t batches = 0, different = 0, flagged = 0, under_six = 0;
  size_t gates = 0, alarms = 0;
  size_t sequential = 0, by_medians = 0, by_test = 0;
};

// Each series is asked twice, with either name as the baseline: an A/A pair has no side.
void tally_gates(const CaseTable& table, Tally& tally) {
  const size_t rounds = std::min(table.cells[0].trials.size(), table.cells[1].trials.size());
  for (const double side : {1.0, -1.0}) {
    std::vector<std::vector<double>> batches;
    for (size_t first = 0; first + kRounds <= rounds; first += kRounds) {
      batches.push_back(batch_of(table, first));
      for (double& ratio : batches.back()) ratio *= side;
      const Decision decision = judge(batches.back());
      ++tally.batches;
      tally.different += decision.finding == Finding::slower;
      tally.flagged += decision.is_flagged;
      tally.under_six += decision.finding == Finding::under_six;
    }
    for (size_t i = 0; i + 1 < batches.size(); i += 2) {
      ++tally.gates;
      std::vector<double> both = batches[i];
      both.insert(both.end(), batches[i + 1].begin(), batches[i + 1].end());
      tally.alarms += judge(batches[i]).is_flagged &&
                      is_confirmed(judge(batches[i + 1]), judge(both), kDefaultThresholdPercent);
    }
  }
}

void tally_sequential(const CaseTable& table, Tally& tally) {
  const std::vector<double> times = in_order(table);
  for (size_t first = 0; first + 2 * kRounds <= times.size(); first += 2 * kRounds) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(first + kRounds);
    const std::vector<double> a(middle - kRounds, middle), b(middle, middle + kRounds);
    for (const Sequential& naive : {judge_sequential(a, b), judge_sequential(b, a)}) {
      ++tally.sequential;
      tally.by_medians += naive.by_medians;
      tally.by_test += naive.by_test;
    }
  }
}

void replay(const CaseTable& table) {
  Tally tally;
  tally_gates(table, tally);
  tally_sequential(table, tally);
  std::printf(
      "%s, %zu rounds, each asked both ways round: batches %zu: slower %zu, flagged %zu, under six "
      "%zu; gates %zu: alarms %zu; sequential %zu: slower by medians %zu, by rank sum %zu\n",
      table.plan.name.c_str(), table.cells[0].trials.size(), tally.batches, tally.different,
      tally.flagged, tally.under_six, tally.gates, tally.alarms, tally.sequential, tally.by_medians,
      tally.by_test);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[1]) == "--recorded") {
    for (int i = 2; i < argc; ++i) {
      const std::vector<ResultsFile> runs = {read_results(argv[i])};
      const Pool pool = pool_runs(runs);
      const Tables tables = make_tables(pool);
      for (const CaseTable& table : tables.cases) {
        if (table.cells.size() == 2) replay(table);
      }
    }
    return 0;
  }
  simulate(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000);
  return 0;
}
