#include "datasets/spec.h"

namespace fairwire {

std::optional<unsigned> parse_mode(std::string_view text) {
  if (text.size() != 4) return std::nullopt;
  unsigned mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    mode = mode << 3 | static_cast<unsigned>(c - '0');
  }
  return mode;
}

std::string format_mode(unsigned mode) {
  std::string text;
  for (int shift = 9; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

}  // namespace fairwire
