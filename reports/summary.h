// summary.json (docs/page.md, schema 1): the cells of a page as numbers, in base units, null where
// there is no value.
#pragma once

#include "base/json.h"
#include "reports/build.h"
#include "reports/report.h"

namespace fairwire {

Json comparison_json(const Comparison& comparison);

/// Of `report` only the counts are read.
Json make_summary(const PageInput& input, const Report& report);

}  // namespace fairwire
