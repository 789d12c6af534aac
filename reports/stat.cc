#include "reports/stat.h"

#include <algorithm>
#include <cmath>

namespace fairwire {
namespace {

// Of sorted, non-empty values.
double middle(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
}

}  // namespace

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return middle(values);
}

std::optional<double> percentile(std::vector<double> values, double share) {
  if (values.size() < kSamplesForPercentile) return std::nullopt;
  std::ranges::sort(values);
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

Summary summarize(const std::vector<double>& values) {
  Summary summary;
  summary.n = values.size();
  if (values.empty()) return summary;
  summary.median = median(values);
  const auto [low, high] = std::ranges::minmax(values);
  summary.minimum = low;
  summary.maximum = high;
  summary.p95 = percentile(values, 0.95);
  if (values.size() < 2) return summary;
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - *summary.median));
  summary.mad = median(std::move(distances));
  return summary;
}

std::string median_label(size_t n) {
  if (n == 0) return "no value";
  if (n == 1) return "single run";
  if (n == 2) return "mean of two";
  const std::string label = "median of " + std::to_string(n);
  return n % 2 == 1 ? label : label + " (mean of the two middle values)";
}

bool ranges_overlap(const Summary& a, const Summary& b) {
  if (a.n == 0 || b.n == 0) return true;
  return *a.minimum <= *b.maximum && *b.minimum <= *a.maximum;
}

}  // namespace fairwire
