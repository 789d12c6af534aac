#include "reports/terminal.h"

#include <algorithm>
#include <vector>

namespace fairwire {
namespace {

constexpr size_t kGap = 2;         // between columns
constexpr size_t kNarrowest = 12;  // that a column of words is cut to

// The code point at the start of valid UTF-8, which is taken off.
uint32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32_t code = length == 1 ? first : first & (0xffu >> (length + 1));
  for (size_t i = 1; i < std::min(length, text.size()); ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  text.remove_prefix(std::min(length, text.size()));
  return code;
}

// East Asian wide blocks and emoji, coarsely: a table may shift by a column, never break.
bool is_wide(uint32_t code) {
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
         (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
         (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
         (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) ||
         (code >= 0x20000 && code <= 0x3fffd);
}

bool is_combining(uint32_t code) {
  return (code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f);
}

size_t width_of(uint32_t code) {
  return is_combining(code) ? 0 : is_wide(code) ? 2 : 1;
}

// The middle gives way: names that differ do so at their ends.
std::string shortened(const std::string& text, size_t width) {
  if (display_width(text) <= width) return text;
  const size_t head_width = (width - 1) / 2;
  const size_t tail_width = width - 1 - head_width;
  std::string head;
  size_t used = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view before = rest;
    used += width_of(take_code_point(rest));
    if (used > head_width) {
      rest = before;
      break;
    }
    head += before.substr(0, before.size() - rest.size());
  }
  while (display_width(rest) > tail_width) take_code_point(rest);
  return head + "…" + std::string(rest);
}

std::string cell_text(const TableCell& cell) {
  std::string text;
  const auto add = [&](const std::string& more, const char* between) {
    if (!more.empty()) text += (text.empty() ? "" : between) + more;
  };
  for (const Piece& piece : cell.pieces) add(piece.text, " ");
  for (const std::string& line : cell.lines) add(line, ", ");
  add(cell.badge, " ");
  if (!cell.small.empty()) add("(" + cell.small + ")", " ");
  return text;
}

struct Grid {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;  // the first holds the titles
  std::vector<size_t> widths;
};

Grid make_grid(const TextTable& table) {
  Grid grid{table.columns, {{}}, {}};
  for (const TableColumn& column : table.columns) grid.rows[0].push_back(column.title);
  for (const TextTable::Row& row : table.rows) {
    auto& texts = grid.rows.emplace_back();
    for (const TableCell& cell : row.cells) texts.push_back(cell_text(cell));
  }
  grid.widths.resize(grid.columns.size());
  for (const auto& row : grid.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      grid.widths[i] = std::max(grid.widths[i], display_width(row[i]));
    }
  }
  return grid;
}

// The columns that fit, in their order; rank 0 is never given up: rather its widest words are cut.
std::vector<size_t> fit_columns(Grid& grid, size_t width) {
  std::vector<size_t> kept(grid.columns.size());
  size_t total = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    kept[i] = i;
    total += grid.widths[i] + kGap;
  }
  while (total > width + kGap) {
    const auto last =
        std::ranges::max_element(kept, {}, [&](size_t i) { return grid.columns[i].rank; });
    if (last == kept.end() || grid.columns[*last].rank == 0) break;
    total -= grid.widths[*last] + kGap;
    kept.erase(last);
  }
  while (total > width + kGap) {
    size_t& widest = *std::ranges::max_element(grid.widths, {}, [&](const size_t& w) {
      return grid.columns[static_cast<size_t>(&w - grid.widths.data())].rank == 0 ? w : 0;
    });
    if (widest <= kNarrowest) break;
    const size_t cut = std::min(total - width - kGap, widest - kNarrowest);
    widest -= cut;
    total -= cut;
  }
  return kept;
}

// Chapters after the cases (method, tools, hosts …) are for the page.
bool is_for_terminal(const Section& section) {
  return section.anchor.starts_with("c") || section.anchor == "baseline" ||
         section.anchor == "gaps";
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) width += width_of(take_code_point(text));
  return width;
}

std::string render_table(const TextTable& table, size_t width) {
  Grid grid = make_grid(table);
  const std::vector<size_t> kept = fit_columns(grid, width);
  std::string text;
  for (const auto& row : grid.rows) {
    std::string line;
    for (const size_t i : kept) {
      const std::string cell = shortened(row[i], grid.widths[i]);
      const std::string padding(grid.widths[i] - display_width(cell), ' ');
      if (i != kept.front()) line += std::string(kGap, ' ');
      line += grid.columns[i].numeric ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string render_terminal(const Document& document, size_t width) {
  std::string text = document.title + "\n" + document.subtitle + "\n";
  for (const std::string& warning : document.warnings) text += "Warning: " + warning + "\n";
  for (const Section& section : document.sections) {
    if (!is_for_terminal(section)) continue;
    text += "\n" + section.title + "\n";
    for (const Block& block : section.blocks) {
      if (const auto* table = std::get_if<TextTable>(&block)) text += render_table(*table, width);
      const auto* paragraph = std::get_if<Paragraph>(&block);
      if (paragraph != nullptr && paragraph->tone != Tone::muted) text += paragraph->text + "\n";
    }
  }
  return text + "\n" + document.counts + "\n";
}

}  // namespace fairwire
