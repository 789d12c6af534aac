#include "reports/markdown.h"

namespace fairwire {
namespace {

std::string branded(const TableCell& cell) {
  if (cell.badge.empty()) return "";
  const std::string text = escape_markdown(cell.badge);
  return cell.tone == Tone::bad ? "**" + text + "**" : text;
}

std::string cell_text(const TableCell& cell) {
  std::string text;
  const auto add = [&](const std::string& more, const char* between) {
    if (!more.empty()) text += (text.empty() ? "" : between) + more;
  };
  for (const Piece& piece : cell.pieces) add(escape_markdown(piece.text), " · ");
  for (const std::string& line : cell.lines) add(escape_markdown(line), "<br>");
  add(branded(cell), " ");
  if (!cell.small.empty()) add("(" + escape_markdown(cell.small) + ")", " ");
  return text;
}

std::string table_markdown(const TextTable& table) {
  std::string text;
  if (!table.caption.empty()) text += escape_markdown(table.caption) + "\n\n";
  std::string rule = "|";
  text += "|";
  for (const TableColumn& column : table.columns) {
    text += " " + escape_markdown(column.title) + " |";
    rule += column.numeric ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (const TextTable::Row& row : table.rows) {
    text += "|";
    for (const TableCell& cell : row.cells) text += " " + cell_text(cell) + " |";
    text += "\n";
  }
  return text;
}

std::string block_markdown(const Paragraph& paragraph) {
  return escape_markdown(paragraph.text) + "\n";
}

std::string block_markdown(const TextList& list) {
  std::string text;
  for (const std::string& item : list.items) text += "- " + escape_markdown(item) + "\n";
  return text;
}

std::string block_markdown(const TextTable& table) {
  return table_markdown(table);
}

std::string block_markdown(const CodeLine& code) {
  return "    " + code.text + "\n";
}

std::string block_markdown(const Folded& folded) {
  return escape_markdown(folded.title) + ":\n\n" + table_markdown(folded.table);
}

}  // namespace

// Punctuation that Markdown could read gets a backslash; what HTML could read becomes an entity,
// because not every dialect lets a backslash stand before "<".
std::string escape_markdown(std::string_view text) {
  static constexpr std::string_view kSpecial = "\\`*_{}[]#|~!";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      escaped += "\ufffd";
    } else if (c == '<' || c == '>' || c == '&') {
      escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string render_markdown(const Document& document) {
  std::string text =
      "# " + escape_markdown(document.title) + "\n\n" + escape_markdown(document.subtitle) + "\n";
  for (const std::string& paragraph : document.intro) {
    text += "\n" + escape_markdown(paragraph) + "\n";
  }
  text += "\n**" + escape_markdown(document.counts) + "**\n";
  for (const std::string& warning : document.warnings) {
    text += "\n> " + escape_markdown(warning) + "\n";
  }
  for (const Section& section : document.sections) {
    text += "\n" + std::string(static_cast<size_t>(section.level), '#') + " " +
            escape_markdown(section.title) + "\n";
    for (const Block& block : section.blocks) {
      text += "\n" + std::visit([](const auto& inner) { return block_markdown(inner); }, block);
    }
  }
  return text;
}

}  // namespace fairwire
