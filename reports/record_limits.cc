#include "reports/record_limits.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"

namespace fairwire {
namespace {

// The length of the UTF-8 sequence at the start of `bytes` (RFC 3629, table of section 4); 0 when
// there is none.
size_t utf8_sequence(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const bool too_short = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
  const bool surrogate = first == 0xed && at(1) >= 0xa0;
  const bool too_large = first == 0xf4 && at(1) >= 0x90;
  return too_short || surrogate || too_large ? 0 : length;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = utf8_sequence(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace

bool is_digest(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.empty() || (text.size() == 2 * Digest{}.size() && std::ranges::all_of(text, is_hex));
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::string readable_text(const std::string& text) {
  return is_utf8(text) ? text : escape_name(text);
}

std::string escaped_name(const std::string& name) {
  const auto bytes = unescape_name(name);
  return bytes && escape_name(*bytes) == name ? name : escape_name(name);
}

Json readable_json(const Json& json) {
  if (const auto* text = json.if_string()) return readable_text(*text);
  if (const auto* items = json.if_array()) {
    Json::Array copy;
    for (const Json& item : *items) copy.push_back(readable_json(item));
    return copy;
  }
  if (const auto* members = json.if_object()) {
    Json::Object copy;
    for (const auto& [key, value] : *members) {
      copy.emplace_back(readable_text(key), readable_json(value));
    }
    return copy;
  }
  return json;
}

}  // namespace fairwire
