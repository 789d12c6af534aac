// The measures a page can show (docs/page.md), and the words of a cell for each of them. The only
// place where figures of a cell become text, so that every renderer shows the same.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reports/cell.h"

namespace fairwire {

enum class Measure {
  median,
  values,
  rounds,
  goodput,
  files,
  cpu,
  memory,
  wire,
  overhead,
  needed,
  twice,
  per_entry,
  prepare,
  connections,
  wakeups,
  fsyncs,
  ceiling,
  stream,
  durability,
  state
};

struct MeasureInfo {
  Measure measure;
  std::string_view name;   ///< in page descriptions
  std::string_view title;  ///< above a column, with the unit where the cells do not say it
};

const MeasureInfo& info_of(Measure measure);
/// nullptr when there is no such measure.
const MeasureInfo* find_measure(std::string_view name);
std::string measure_names();

/// The lines of a cell; printable, never empty (an en dash when there is no value).
std::vector<std::string> measure_lines(const Cell& cell, Measure measure);

/// What a rate is worth on its wire, for every cell that shows one: "91 % of line"; of one TCP
/// stream where the wire states no rate; "line not known". Empty where there is no rate.
std::string line_text(const Cell& cell);

/// One value of a trial, in seconds: "28.98", in brackets when it is not counted.
std::string value_text(const CellTrial& trial);
/// "n = 6", "n = 1, single run", "n = 4 of 6".
std::string n_text(const Cell& cell);

}  // namespace fairwire
