// The tables of the cases for a terminal: columns aligned by what a terminal shows, the least
// needed ones left out where the width is short. Nothing in it can drive the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/document.h"

namespace fairwire {

inline constexpr size_t kTerminalWidth = 100;

/// Overview and case tables, the counts and the warnings of a document.
std::string render_terminal(const Document& document, size_t width = kTerminalWidth);

/// One table; columns of high rank give way where `width` is short.
std::string render_table(const TextTable& table, size_t width);

/// Columns that printable UTF-8 takes on a terminal: 2 for wide characters, 0 for combining ones.
size_t display_width(std::string_view text);

}  // namespace fairwire
