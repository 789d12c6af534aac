#include <map>

#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"

namespace fairwire {
namespace {

struct CellPlace {
  const Cell* cell;
  std::string anchor;
};

using CellIndex = std::map<std::pair<std::string, std::string>, CellPlace>;

CellIndex index_cells(const Tables& tables) {
  CellIndex index;
  for (size_t i = 0; i < tables.cases.size(); ++i) {
    for (size_t j = 0; j < tables.cases[i].cells.size(); ++j) {
      const Cell& cell = tables.cases[i].cells[j];
      index[{cell.case_name, cell.variant}] = {&cell, cell_anchor(i, j)};
    }
  }
  return index;
}

// One measure of one cell; a brand in place of trust, wherever the cell is not wholly verified.
TableCell overview_cell(const CellIndex& index, const std::string& case_name,
                        const PageColumn& column) {
  const auto place = index.find({case_name, column.variant});
  if (place == index.end()) return text_cell(std::string(kNone));
  const Cell& cell = *place->second.cell;
  TableCell text;
  text.link = "#" + place->second.anchor;
  if (cell.state != CellState::verified) {
    text.badge = cell.state_text;
    text.tone = tone_of(cell.state);
  }
  if (cell.seconds.n > 0 || column.measure == Measure::state) {
    text.lines = measure_lines(cell, column.measure);
    text.small = n_text(cell);
    if (column.measure == Measure::goodput) {
      const std::string of_line = line_text(cell);
      if (!of_line.empty()) text.small += ", " + of_line;
    }
  } else if (text.badge.empty()) {
    text.lines = {std::string(kNone)};
  }
  return text;
}

TextTable overview_table(const PageInput& input, const PageTable& page, const CellIndex& index) {
  std::map<std::string, std::pair<const CaseTable*, size_t>> cases;
  for (size_t i = 0; i < input.tables.cases.size(); ++i) {
    cases[input.tables.cases[i].plan.name] = {&input.tables.cases[i], i};
  }
  TextTable table;
  table.caption = printable(page.caption);
  table.columns.push_back({"Case", false, 0});
  for (const PageColumn& column : page.columns) {
    table.columns.push_back({printable(column.title), true, 0});
  }
  for (const std::string& name : page.rows) {
    const auto& [planned, number] = cases.at(name);
    const std::string& title = planned->plan.title;
    TableCell head = text_cell(printable(title.empty() ? name : title));
    head.link = "#" + case_anchor(number);
    const std::string& wire = planned->plan.wire_title;
    head.small = printable(wire.empty() ? planned->plan.wire : wire);
    TextTable::Row row{"", {std::move(head)}};
    for (const PageColumn& column : page.columns) {
      row.cells.push_back(overview_cell(index, name, column));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void add_overview(const PageInput& input, Document& document) {
  const CellIndex index = index_cells(input.tables);
  size_t number = 0;
  for (const PageTable& table : input.page.tables) {
    Section section{"o" + std::to_string(number++), printable(table.title), {}, 2};
    section.blocks.emplace_back(overview_table(input, table, index));
    document.sections.push_back(std::move(section));
  }
}

}  // namespace fairwire
