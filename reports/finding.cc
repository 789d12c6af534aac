#include "reports/finding.h"

#include <algorithm>
#include <cmath>

#include "reports/format.h"

namespace fairwire {
namespace {

// Half of an interval in standard errors, and what is added for nine chances in ten.
constexpr double kHalfInErrors = 1.959963984540054;
constexpr double kNineOfTen = 1.2815515655446004;

Finding finding_of(const RankEstimate& estimate, double bound) {
  if (estimate.low > bound) return Finding::slower;
  if (estimate.high < -bound) return Finding::faster;
  if (estimate.low >= -bound && estimate.high <= bound) return Finding::same;
  return Finding::inconclusive;
}

// An interval shrinks with the root of n. It decides once its half is less than the distance from
// the estimate to the nearer bound.
std::optional<int64_t> rounds_to_decide(const RankEstimate& estimate, double bound, size_t rounds) {
  const double distance = std::abs(std::abs(estimate.value) - bound);
  const double factor = estimate.half_width() / distance;
  const double needed = std::ceil(static_cast<double>(rounds) * factor * factor);
  if (!(needed <= static_cast<double>(kMostRounds)))
    return std::nullopt;  // also when distance is 0
  return std::max(static_cast<int64_t>(needed), static_cast<int64_t>(rounds) + 1);
}

}  // namespace

std::string to_string(Finding finding) {
  switch (finding) {
    case Finding::same:
      return "same";
    case Finding::faster:
      return "faster";
    case Finding::slower:
      return "slower";
    case Finding::inconclusive:
      return "inconclusive";
    case Finding::under_six:
      return "no verdict: under 6 rounds";
    case Finding::not_comparable:
      return "not comparable";
    case Finding::not_measured:
      return "not measured";
  }
  return "";
}

Decision decide(const std::optional<RankEstimate>& log_ratio, size_t rounds,
                double threshold_percent) {
  Decision decision;
  if (!log_ratio) {
    decision.finding = rounds == 0 ? Finding::not_measured : Finding::under_six;
    return decision;
  }
  const double bound = std::log1p(threshold_percent / 100);
  decision.finding = finding_of(*log_ratio, bound);
  decision.ratio = std::exp(log_ratio->value);
  decision.ratio_low = std::exp(log_ratio->low);
  decision.ratio_high = std::exp(log_ratio->high);
  decision.confidence = log_ratio->confidence;
  decision.is_flagged = log_ratio->value > bound && log_ratio->one_sided_low > 0;
  if (decision.finding == Finding::inconclusive) {
    decision.rounds_to_decide = rounds_to_decide(*log_ratio, bound, rounds);
  }
  const double half = log_ratio->half_width();
  decision.smallest_visible = std::exp(bound + half * (1 + kNineOfTen / kHalfInErrors));
  return decision;
}

bool is_confirmed(const Decision& fresh, const Decision& both, double threshold_percent) {
  const double factor = 1 + threshold_percent / 100;
  return fresh.ratio > factor && both.ratio > factor && both.ratio_low > 1.0;
}

std::string rounds_text(const Decision& decision) {
  if (!decision.rounds_to_decide) {
    return "more than " + format_count(kMostRounds) + " rounds would be needed";
  }
  return "n = " + format_count(*decision.rounds_to_decide) + " would decide";
}

std::string ratio_text(const Decision& decision) {
  return format_or_none(decision.ratio, format_ratio);
}

std::string interval_text(const Decision& decision) {
  if (!decision.ratio_low) return std::string(kNone);
  return format_ratio(*decision.ratio_low) + " to " + format_ratio(*decision.ratio_high);
}

}  // namespace fairwire
