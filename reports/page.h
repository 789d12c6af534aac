// A page description (docs/page.md, schema 1): how the records of a plan are shown. Pure data; it
// chooses words and overview tables and can hide nothing.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "reports/measure.h"
#include "reports/pool.h"

namespace fairwire {

struct PageColumn {
  std::string variant;
  Measure measure = Measure::median;
  std::string title;
};

struct PageTable {
  std::string title;
  std::string caption;
  std::vector<std::string> rows;  ///< names of cases
  std::vector<PageColumn> columns;
};

struct Page {
  std::string title;
  std::vector<std::string> intro;
  std::vector<PageTable> tables;
  bool baseline = true;
  bool conformance = false;
  std::vector<std::string> notes;
  std::vector<std::string> limits;
};

/// With every "*" spelled out for `pool`. A null `json` is the default page: one table of medians
/// over all cases. Throws FormatError{file, pointer, reason}, also for names that no run has.
Page make_page(const Json& json, const std::string& file, const Pool& pool);

}  // namespace fairwire
