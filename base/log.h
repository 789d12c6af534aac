// Words to the user on stderr, one line each, prefixed with the program's name. Everything that
// comes from outside is escaped, so that a file name cannot drive the terminal.
#pragma once

#include <string>
#include <string_view>

namespace fairwire {

void log_info(std::string_view line);
void log_warning(std::string_view line);

/// Control bytes, DEL and invalid UTF-8 as \xNN; a backslash doubled. Safe to print.
std::string printable(std::string_view bytes);

}  // namespace fairwire
