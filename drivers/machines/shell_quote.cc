#include "drivers/machines/shell_quote.h"

#include <cerrno>

#include "base/error.h"

namespace fairwire {

std::string shell_quote(std::string_view word) {
  if (word.find('\0') != word.npos) {
    throw SystemError("quote for the remote shell", std::string(word.substr(0, 100)), EINVAL);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_command(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

}  // namespace fairwire
