#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"

namespace fairwire {
namespace {

Tone tone_of(Finding finding) {
  const bool decided =
      finding == Finding::same || finding == Finding::faster || finding == Finding::slower;
  return decided ? Tone::plain : Tone::muted;
}

}  // namespace

// The paired ratio of a variant to the first one of the case.
TableCell comparison_cell(const CaseTable& table, size_t index) {
  if (index == 0) return text_cell(std::string(kNone));
  const Comparison& comparison = table.comparisons[index - 1];
  // Why a variant has no time at all stands two columns before.
  if (comparison.n() == 0 && comparison.contaminated == 0) return text_cell(std::string(kNone));
  TableCell cell = text_cell(ratio_text(comparison.decision));
  cell.badge = printable(to_string(comparison.decision.finding));
  cell.tone = tone_of(comparison.decision.finding);
  if (comparison.decision.ratio) cell.small = interval_text(comparison.decision) + ", ";
  cell.small += rounds_of(comparison);
  if (!comparison.reason.empty()) {
    cell.small += ", " + printable(comparison.reason);
  } else if (comparison.decision.finding == Finding::inconclusive) {
    cell.small += ", " + rounds_text(comparison.decision);
  }
  return cell;
}

// Sessions are blocks: how far each one's own ratio lies from the others'.
std::optional<Folded> sessions_of(const CaseTable& table) {
  Folded folded;
  folded.title = "The same ratios, session by session";
  folded.table.columns = {
      {"Variant", false, 0},
      {"Run", false, 0},
      {"Session", false, 0},
      {"n", true, 0},
      {"Time against " + printable(table.cells.empty() ? "" : table.cells[0].variant), true, 0}};
  for (const Comparison& comparison : table.comparisons) {
    if (comparison.sessions.size() < 2) continue;
    for (const SessionRatio& session : comparison.sessions) {
      folded.table.rows.push_back(
          {"",
           {text_cell(printable(comparison.variant)), text_cell(printable(session.run)),
            text_cell(printable(session.session)),
            text_cell(format_count(static_cast<int64_t>(session.n))),
            text_cell(format_ratio(session.ratio))}});
    }
  }
  if (folded.table.rows.empty()) return std::nullopt;
  return folded;
}

}  // namespace fairwire
