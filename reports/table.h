// The one model of a page's tables, computed once from records; every renderer only writes it down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/cell.h"
#include "reports/comparison.h"
#include "reports/controls.h"
#include "reports/pool.h"

namespace fairwire {

/// What the wire of a case could have carried at best.
struct Ceiling {
  double bytes_per_second = 0;
  std::string basis;  ///< "pipe-16, median of 6" or "theory of the wire"
};

struct CaseTable {
  PlannedCase plan;
  Json conditions;          ///< of its first trial; null when nothing ran
  std::vector<Cell> cells;  ///< one a variant, in the plan's order
  std::optional<Ceiling> ceiling;
  Yardsticks yardsticks;                ///< its cells' rates were held against these
  std::vector<Comparison> comparisons;  ///< of each variant but the first with the first
  std::string standing;  ///< what may be said about an order of the variants, and what not
};

struct Tables {
  std::vector<CaseTable> cases;
  std::vector<ControlRow> controls;  ///< by wire, then pipe-1, pipe-16, kernel, others
};

Tables make_tables(const Pool& pool, double threshold_percent = kDefaultThresholdPercent);

}  // namespace fairwire
