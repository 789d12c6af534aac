#include "reference/say.h"

#include <unistd.h>

#include <string>

#include "base/log.h"

namespace fairsync {

void say(std::string_view line) {
  const std::string text = "fairsync: " + fairwire::printable(line) + "\n";
  // One write: lines of several threads must not mix. A lost line harms no transfer.
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace fairsync
