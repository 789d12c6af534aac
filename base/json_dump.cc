#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/json_text.h"

namespace fairwire {
namespace {

void write_control(std::string& out, unsigned char byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
  }
}

// Bytes that are not UTF-8 become U+FFFD: what we write must always be JSON.
void write_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto [length, code] = first_sequence(text);
    if (length == 0) {
      out += "\\ufffd";
    } else if (code < 0x20 || code == '"' || code == '\\' || code == 0x7f) {
      write_control(out, static_cast<unsigned char>(code));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

void write_real(std::string& out, double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";  // it stays a real
}

// `indent` < 0 writes one line.
void write_value(std::string& out, const Json& json, int indent) {
  const auto new_line = [&](int depth) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<size_t>(2 * depth), ' ');
  };
  const int inner = indent < 0 ? -1 : indent + 1;
  if (const bool* flag = json.if_bool()) {
    out += *flag ? "true" : "false";
  } else if (const int64_t* number = json.if_int()) {
    out += std::to_string(*number);
  } else if (const std::string* text = json.if_string()) {
    write_string(out, *text);
  } else if (const auto* items = json.if_array()) {
    out += '[';
    for (size_t i = 0; i < items->size(); ++i) {
      if (i > 0) out += ',';
      new_line(inner);
      write_value(out, (*items)[i], inner);
    }
    if (!items->empty()) new_line(indent);
    out += ']';
  } else if (const auto* members = json.if_object()) {
    out += '{';
    for (size_t i = 0; i < members->size(); ++i) {
      if (i > 0) out += ',';
      new_line(inner);
      write_string(out, (*members)[i].first);
      out += indent < 0 ? ":" : ": ";
      write_value(out, (*members)[i].second, inner);
    }
    if (!members->empty()) new_line(indent);
    out += '}';
  } else if (const auto real = json.if_number()) {
    write_real(out, *real);
  } else {
    out += "null";
  }
}

}  // namespace

std::string Json::dump() const {
  std::string out;
  write_value(out, *this, -1);
  return out;
}

std::string Json::dump_pretty() const {
  std::string out;
  write_value(out, *this, 0);
  return out + '\n';
}

}  // namespace fairwire
