#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"
#include "drivers/wires/link_command.h"

namespace fairwire {
namespace {

constexpr double kMostSeconds = 3600;

[[noreturn]] void refuse(std::string_view text, const char* reason) {
  throw FormatError("\"" + std::string(text) + "\"", "command line", reason);
}

// Takes a quoted part that begins behind its quote; returns the index behind the closing one.
size_t take_quoted(std::string_view text, size_t at, char quote, std::string& word) {
  while (at < text.size() && text[at] != quote) {
    const bool escaped = quote == '"' && text[at] == '\\' && at + 1 < text.size() &&
                         (text[at + 1] == '"' || text[at + 1] == '\\');
    if (escaped) ++at;
    word += text[at++];
  }
  if (at == text.size()) refuse(text, "has a quote that stays open");
  return at + 1;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c == ' ' || c == '\t' || c == '\n') {
      if (word) words.push_back(*word);
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == '\'' || c == '"') {
      at = take_quoted(text, at, c, *word);
    } else if (c == '\\') {
      if (at == text.size()) refuse(text, "ends with a backslash");
      *word += text[at++];
    } else {
      *word += c;
    }
  }
  if (word) words.push_back(*word);
  return words;
}

Nanoseconds parse_duration(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const auto found = kUnits.find(unit);
  if (error != std::errc() || found == kUnits.end()) {
    refuse(text, "is no duration like 80ms, 1.5s or 250us");
  }
  const double seconds = number * found->second;
  if (!(seconds >= 0 && seconds <= kMostSeconds)) refuse(text, "is not between 0 and 3600 s");
  return Nanoseconds(std::llround(seconds * 1e9));
}

}  // namespace fairwire
