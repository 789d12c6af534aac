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

Finding batch_of(const CaseTable& table, size_t first) {
  std::vector<double> log_ratios;
  for (size_t i = first; i < first + kRounds; ++i) {
    const CellTrial& a = table.cells[0].trials[i];
    const CellTrial& b = table.cells[1].trials[i];
    if (!a.counted() || !b.counted() || !a.contamination.empty()) continue;
    log_ratios.push_back(std::log(*b.seconds / *a.seconds));
  }
  return decide(signed_rank_estimate(log_ratios), log_ratios.size(), kDefaultThresholdPercent)
      .finding;
}

void replay(const CaseTable& table) {
  size_t batches = 0, slower = 0, faster = 0, under_six = 0;
  const size_t rounds = std::min(table.cells[0].trials.size(), table.cells[1].trials.size());
  for (size_t first = 0; first + kRounds <= rounds; first += kRounds) {
    const Finding finding = batch_of(table, first);
    ++batches;
    slower += finding == Finding::slower;
    faster += finding == Finding::faster;
    under_six += finding == Finding::under_six;
  }
  const std::vector<double> times = in_order(table);
  size_t naive = 0, by_medians = 0, by_test = 0;
  for (size_t first = 0; first + 2 * kRounds <= times.size(); first += 2 * kRounds) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(first + kRounds);
    const std::vector<double> a(middle - kRounds, middle), b(middle, middle + kRounds);
    const Sequential forth = judge_sequential(a, b), back = judge_sequential(b, a);
    ++naive;
    by_medians += forth.by_medians || back.by_medians;
    by_test += forth.by_test || back.by_test;
  }
  std::printf(
      "%s, %zu rounds: paired batches %zu, called slower %zu, faster %zu, under six %zu; "
      "sequential batches %zu, called different by medians %zu, by rank sum %zu\n",
      table.plan.name.c_str(), rounds, batches, slower, faster, under_six, naive, by_medians,
      by_test);
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
