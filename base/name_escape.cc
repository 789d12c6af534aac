#include "base/json.h"
#include "base/json_text.h"

namespace fairwire {
namespace {

// Whether a character may be shown as it is: it must not drive a terminal nor reorder a line.
bool is_printable(uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;  // C0, DEL, C1
  if (code >= 0x202a && code <= 0x202e) return false;              // bidirectional overrides
  return code < 0x2066 || code > 0x2069;                           // bidirectional isolates
}

size_t printable_sequence(std::string_view bytes) {
  const Utf8Sequence sequence = first_sequence(bytes);
  return sequence.length > 0 && is_printable(sequence.code) ? sequence.length : 0;
}

}  // namespace

std::string escape_name(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  while (!bytes.empty()) {
    size_t length = bytes[0] == '\\' ? 0 : printable_sequence(bytes);
    if (length > 0) {
      text += bytes.substr(0, length);
    } else if (bytes[0] == '\\') {
      length = 1;
      text += "\\\\";
    } else {
      length = 1;
      const auto byte = static_cast<unsigned char>(bytes[0]);
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    bytes.remove_prefix(length);
  }
  return text;
}

std::optional<std::string> unescape_name(std::string_view text) {
  const auto value = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
    } else if (text.substr(i, 2) == "\\\\") {
      bytes += '\\';
      i += 1;
    } else if (i + 3 < text.size() && text[i + 1] == 'x' && value(text[i + 2]) >= 0 &&
               value(text[i + 3]) >= 0) {
      bytes += static_cast<char>(16 * value(text[i + 2]) + value(text[i + 3]));
      i += 3;
    } else {
      return std::nullopt;
    }
  }
  if (escape_name(bytes) != text) return std::nullopt;  // each name has one spelling
  return bytes;
}

}  // namespace fairwire
