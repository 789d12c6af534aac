#include "base/log.h"

#include <unistd.h>

#include "base/json.h"

namespace fairwire {
namespace {

void log_line(std::string_view label, std::string_view line) {
  std::string text = "fairwire: ";
  text += label;
  // Our own messages may hold several lines; only what could drive a terminal is escaped.
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      text += printable(std::string_view(&c, 1));
    } else {
      text += c;
    }
  }
  text += '\n';
  // One write: lines of several processes must not mix. A lost log line harms no result.
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void log_info(std::string_view line) { log_line("", line); }

void log_warning(std::string_view line) { log_line("warning: ", line); }

std::string printable(std::string_view bytes) { return escape_name(bytes); }

}  // namespace fairwire
