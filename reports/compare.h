// `fairwire compare`: every cell of two runs, or two variants of one run, held against each other
// and summed up to one answer. Pure over records; the exit code is made of it by the harness.
#pragma once

#include <string>
#include <vector>

#include "reports/comparison.h"
#include "reports/results_file.h"

namespace fairwire {

struct CompareReport {
  std::vector<Comparison> lines;       ///< one a cell, in the plan's order
  std::vector<Comparison> same_pairs;  ///< A/A pairs of the run: one binary under two names
  std::vector<std::string> warnings;
  int64_t mismatched = 0;  ///< trials of compared cells in which something wrong landed

  bool has(Finding finding) const;
  /// No line at all, a line not measured or not comparable, or an A/A pair called different.
  bool is_unfit() const;
};

/// Unpaired: the same cell (case and variant) of two runs, each pooled of its files.
CompareReport compare_runs(const std::vector<ResultsFile>& before,
                           const std::vector<ResultsFile>& after, double threshold_percent);

struct VariantPair {
  std::string baseline;  ///< empty: the first variant of each case
  std::string variant;   ///< empty: the second
};
struct CompareOptions {
  double threshold_percent = kDefaultThresholdPercent;
  std::vector<VariantPair> same_pairs;  ///< A/A: names of one program, known from the plan
};
/// Paired: two variants that were measured in the same rounds, in every case that has both.
CompareReport compare_variants(const std::vector<ResultsFile>& runs, const VariantPair& pair,
                               const CompareOptions& options);

/// Whether a gate needs a fresh batch.
bool has_flagged(const CompareReport& report);

/// Flagged lines of `first` become those of both batches together: slower when the fresh batch
/// confirms them (is_confirmed), inconclusive otherwise. All other lines stay as they are.
CompareReport confirmed(const CompareReport& first, const CompareReport& fresh,
                        const CompareReport& both);

/// A line a cell, the A/A pairs, the warnings; printable.
std::string render_compare(const CompareReport& report);

}  // namespace fairwire
