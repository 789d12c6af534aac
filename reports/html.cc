#include "reports/html.h"

#include <algorithm>
#include <charconv>

#include "reports/format.h"
#include "reports/templates.h"

namespace fairwire {
namespace {

constexpr double kStripWidth = 200;

std::string coordinate(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 1).ptr;
  return std::string(buffer, end);
}

std::string link_or_text(const std::string& text, const std::string& link) {
  if (link.empty()) return escape_html(text);
  return "<a href=\"" + escape_html(link) + "\">" + escape_html(text) + "</a>";
}

const char* class_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::muted:
      return "muted";
    case Tone::plain:
      break;
  }
  return "plain";
}

// One dot a value on an axis from 0; the numbers stand beside it, so it is hidden from readers.
std::string strip_html(const Strip& strip) {
  if (strip.end <= 0) return "";
  std::string html =
      "<svg class=\"strip\" viewBox=\"0 0 200 14\" "
      "aria-hidden=\"true\"><line x1=\"0\" y1=\"7\" x2=\"200\" y2=\"7\"/>";
  for (const Strip::Mark& mark : strip.marks) {
    const double x = 4 + (kStripWidth - 8) * mark.value / strip.end;
    html += std::string("<circle") + (mark.counted ? "" : " class=\"out\"") + " cx=\"" +
            coordinate(x) + "\" cy=\"7\" r=\"4\"/>";
  }
  return html + "</svg>";
}

std::string badge_html(const TableCell& cell) {
  if (cell.badge.empty()) return "";
  return std::string("<span class=\"badge ") + class_of(cell.tone) + "\">" +
         escape_html(cell.badge) + "</span>";
}

// "writer 1.20 s": the label left, the figure right, when a cell has several such lines.
std::string line_html(const std::string& line, bool several) {
  const size_t space = line.find(' ');
  if (!several || space == std::string::npos) return escape_html(line);
  return escape_html(line.substr(0, space)) + " <span>" + escape_html(line.substr(space + 1)) +
         "</span>";
}

std::string cell_content(const TableCell& cell, bool numeric) {
  std::string html;
  if (cell.strip) html += strip_html(*cell.strip);
  for (const Piece& piece : cell.pieces) {
    html += (&piece == &cell.pieces.front() ? "" : " · ") + link_or_text(piece.text, piece.link);
  }
  if (cell.lines.size() == 1) {
    const std::string text = link_or_text(cell.lines[0], cell.link);
    html += cell.strong ? "<b>" + text + "</b>" : text;
  } else {
    for (const std::string& line : cell.lines) {
      html += std::string("<span class=\"line") + (numeric ? "" : " pair") + "\">" +
              line_html(line, !numeric) + "</span>";
    }
  }
  if (!cell.badge.empty()) {
    html += (html.empty() ? "" : " ");
    html += cell.link.empty() || !cell.lines.empty()
                ? badge_html(cell)
                : "<a href=\"" + escape_html(cell.link) + "\">" + badge_html(cell) + "</a>";
  }
  if (!cell.small.empty()) html += "<small>" + escape_html(cell.small) + "</small>";
  return html;
}

// Digests and paths have to break somewhere; other words should not.
bool has_long_word(const std::string& text) {
  constexpr size_t kLong = 28;
  size_t run = 0;
  for (const char c : text) {
    run = c == ' ' ? 0 : run + 1;
    if (run > kLong) return true;
  }
  return false;
}

std::string cell_html(const TableCell& cell, const TableColumn& column, bool head) {
  if (head) return "<th scope=\"row\">" + cell_content(cell, false) + "</th>";
  std::string classes = column.numeric ? "n" : "";
  if (cell.strip) classes = "values";
  if (std::ranges::any_of(cell.lines, has_long_word)) {
    classes = "long";
  } else if (cell.lines.size() == 1 && cell.lines[0].find(' ') == std::string::npos) {
    classes = column.numeric ? "n" : "one";  // no break at the hyphens of a name or a date
  }
  if (cell.lines.size() == 1 && cell.lines[0] == kNone && cell.link.empty()) classes += " nil";
  return "<td" + (classes.empty() ? "" : " class=\"" + classes + "\"") + " data-title=\"" +
         escape_html(column.title) + "\"><div class=\"cell\">" +
         cell_content(cell, column.numeric) + "</div></td>";
}

std::string table_html(const TextTable& table) {
  std::string html = "<div class=\"frame\"><table>\n";
  if (!table.caption.empty()) html += "<caption>" + escape_html(table.caption) + "</caption>\n";
  html += "<thead><tr>";
  for (const TableColumn& column : table.columns) {
    html += std::string("<th scope=\"col\"") + (column.numeric ? " class=\"n\"" : "") + ">" +
            escape_html(column.title) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const TextTable::Row& row : table.rows) {
    html += row.anchor.empty() ? "<tr>" : "<tr id=\"" + escape_html(row.anchor) + "\">";
    for (size_t i = 0; i < row.cells.size(); ++i) {
      html += cell_html(row.cells[i], table.columns[i], i == 0);
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string block_html(const Paragraph& paragraph) {
  const std::string tone = paragraph.tone == Tone::muted ? " class=\"quiet\"" : "";
  return "<p" + tone + ">" + escape_html(paragraph.text) + "</p>\n";
}

std::string block_html(const TextList& list) {
  std::string html = "<ul>\n";
  for (const std::string& item : list.items) html += "<li>" + escape_html(item) + "</li>\n";
  return html + "</ul>\n";
}

std::string block_html(const TextTable& table) {
  return table_html(table);
}

std::string block_html(const CodeLine& code) {
  return "<pre><code>" + escape_html(code.text) + "</code></pre>\n";
}

std::string block_html(const Folded& folded) {
  return "<details><summary>" + escape_html(folded.title) + "</summary>\n" +
         table_html(folded.table) + "</details>\n";
}

std::string section_html(const Section& section) {
  const std::string level = std::to_string(section.level);
  const std::string kind = section.anchor.starts_with("o") ? " class=\"overview\"" : "";
  std::string html = "<section" + kind + ">\n<h" + level + " id=\"" + escape_html(section.anchor) +
                     "\">" + escape_html(section.title) + "</h" + level + ">\n";
  for (const Block& block : section.blocks) {
    html += std::visit([](const auto& inner) { return block_html(inner); }, block);
  }
  return html + "</section>\n";
}

std::string head_html(const Document& document) {
  std::string html = "<header>\n<h1>" + escape_html(document.title) +
                     "</h1>\n<p class=\"quiet sub\">" + escape_html(document.subtitle) + "</p>\n";
  for (const std::string& text : document.intro) html += "<p>" + escape_html(text) + "</p>\n";
  html += "<p class=\"counts\">" + escape_html(document.counts) + "</p>\n";
  if (!document.warnings.empty()) {
    html += "<div class=\"warn\">\n";
    for (const std::string& text : document.warnings) html += "<p>" + escape_html(text) + "</p>\n";
    html += "</div>\n";
  }
  html += "<nav>\n";
  for (const Section& section : document.sections) {
    html += link_or_text(section.title, "#" + section.anchor) + "\n";
  }
  return html +
         "</nav>\n<p id=\"filter\" hidden><label>Show only rows with <input type=\"search\">"
         "</label></p>\n</header>\n";
}

void replace_once(std::string& text, std::string_view placeholder, std::string_view value,
                  size_t& from) {
  const size_t at = text.find(placeholder, from);
  if (at == std::string::npos) return;
  text.replace(at, placeholder.size(), value);
  from = at + value.size();  // what was put in is never searched
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
          html += "\ufffd";
        } else {
          html += c;
        }
    }
  }
  return html;
}

std::string embeddable_json(const Json& json) {
  const std::string text = json.dump();
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (text[i] == '<') {
      safe += "\\u003c";
    } else if (text[i] == '>') {
      safe += "\\u003e";
    } else if (text[i] == '&') {
      safe += "\\u0026";
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      safe += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += text[i];
    }
  }
  return safe;
}

std::string render_html(const Document& document, const Json& summary) {
  std::string body = head_html(document) + "<main>\n";
  for (const Section& section : document.sections) body += section_html(section);
  body += "</main>\n";
  std::string html(kPageHtml);
  size_t from = 0;
  replace_once(html, "{{title}}", escape_html(document.title), from);
  replace_once(html, "{{style}}", kPageCss, from);
  replace_once(html, "{{body}}", body, from);
  replace_once(html, "{{data}}", embeddable_json(summary), from);
  return html;
}

}  // namespace fairwire
