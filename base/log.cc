#include "base/log.h"

#include <unistd.h>

#include <algorithm>

#include "base/json.h"

namespace fairwire {
namespace {

void log_line(std::string_view label, std::string_view line) {
  std::string text = "fairwire: ";
  text += label;
  // Our own messages may hold several lines, and names that are escaped already.
  while (!line.empty()) {
    const size_t plain = std::min(line.find_first_of("\\\n\t"), line.size());
    text += printable(line.substr(0, plain));
    if (plain < line.size()) text += line[plain];
    line.remove_prefix(std::min(plain + 1, line.size()));
  }
  text += '\n';
  // One write: lines of several processes must not mix. A lost log line harms no result.
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void log_info(std::string_view line) {
  log_line("", line);
}

void log_warning(std::string_view line) {
  log_line("warning: ", line);
}

std::string printable(std::string_view bytes) {
  return escape_name(bytes);
}

}  // namespace fairwire
