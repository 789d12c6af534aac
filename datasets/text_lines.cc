#include "datasets/text_lines.h"

namespace fairwire {

LineEnd read_text_line(std::istream& in, std::string& line, size_t limit) {
  using Traits = std::istream::traits_type;
  line.clear();
  std::streambuf& buffer = *in.rdbuf();
  while (true) {
    const Traits::int_type next = buffer.sbumpc();
    if (Traits::eq_int_type(next, Traits::eof())) return LineEnd::end_of_file;
    const char c = Traits::to_char_type(next);
    if (c == '\n') return LineEnd::newline;
    if (line.size() == limit) return LineEnd::too_long;
    line += c;
  }
}

}  // namespace fairwire
