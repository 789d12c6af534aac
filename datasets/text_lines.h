// Lines of a text from outside, bounded before they are believed.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace fairwire {

enum class LineEnd { newline, end_of_file, too_long };

/// Reads up to and without the next LF. `end_of_file` means that no LF came: `line` holds what was
/// left, maybe nothing. `too_long`: more than `limit` bytes came without one.
LineEnd read_text_line(std::istream& in, std::string& line, size_t limit);

}  // namespace fairwire
