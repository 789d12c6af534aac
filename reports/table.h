// The one model of a page's tables, computed once from records; every renderer only writes it down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/cell.h"
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
  std::string standing;  ///< what may be said about an order of the variants, and what not
};

/// One control on one wire.
struct ControlRow {
  std::string wire;
  std::string control;
  std::vector<double> seconds;           ///< every value, in order of rounds
  std::vector<double> bytes_per_second;  ///< empty when it moved no bytes
  int64_t not_counted = 0;               ///< trials that failed or ran on an invalid wire
};

struct Tables {
  std::vector<CaseTable> cases;
  std::vector<ControlRow> controls;  ///< by wire, then pipe-1, pipe-16, kernel, others
};

Tables make_tables(const Pool& pool);

}  // namespace fairwire
