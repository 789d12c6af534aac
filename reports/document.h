// A page as a renderer sees it: sections of paragraphs, lists and tables of finished text. HTML,
// Markdown and the terminal differ in dress only.
// Invariant: every text is printable UTF-8 (what came from outside went through printable());
// escaping for HTML or Markdown is the renderer's work, and its only work on words.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fairwire {

enum class Tone { plain, good, bad, muted };

/// The single values of a cell on an axis from 0 to `end`, for renderers that can draw.
struct Strip {
  struct Mark {
    double value;
    bool counted;
  };
  std::vector<Mark> marks;
  double end = 0;
};

/// A piece of text that may lead somewhere: "#anchor" on the page, or a relative address.
struct Piece {
  std::string text;
  std::string link;  ///< empty: none
};

struct TableCell {
  std::vector<std::string> lines;
  std::vector<Piece> pieces;  ///< instead of lines, where parts of the text are links
  std::string small;          ///< said quietly below: "n = 6"
  std::string badge;          ///< "verified", "MISMATCH (content)"; empty: none
  Tone tone = Tone::plain;    ///< of the badge
  std::string link;           ///< of the whole text; empty: none
  bool strong = false;        ///< the figure a reader looks for first
  std::optional<Strip> strip;
};

struct TableColumn {
  std::string title;
  bool numeric = false;
  int rank = 0;  ///< where space is short the highest ranks go first; 0 stays
};

struct TextTable {
  std::string caption;
  std::vector<TableColumn> columns;
  struct Row {
    std::string anchor;
    std::vector<TableCell> cells;  ///< one a column; the first is the row's name
  };
  std::vector<Row> rows;
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
};

struct TextList {
  std::vector<std::string> items;
};

/// Something to run, shown as it is typed.
struct CodeLine {
  std::string text;
};

/// Detail that a reader opens on demand; written out in full where nothing can be opened.
struct Folded {
  std::string title;
  TextTable table;
};

using Block = std::variant<Paragraph, TextList, TextTable, CodeLine, Folded>;

struct Section {
  std::string anchor;
  std::string title;
  std::vector<Block> blocks;
  int level = 2;  ///< of its heading
};

struct Document {
  std::string title;
  std::string subtitle;
  std::vector<std::string> intro;
  std::string counts;                 ///< one line: how many cells, how many verified
  std::vector<std::string> warnings;  ///< shown before any number
  std::vector<Section> sections;
};

/// A cell of one plain text.
inline TableCell text_cell(std::string text) {
  TableCell cell;
  cell.lines.push_back(std::move(text));
  return cell;
}

}  // namespace fairwire
