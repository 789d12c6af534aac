// The one place where argv becomes a command line: ssh hands a remote command to the user's login
// shell as a single string. POSIX single quotes, within which no character means anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairwire {

/// `word` so that a POSIX shell reads it back byte for byte. Throws SystemError{EINVAL} for a zero
/// byte, which no argument can hold.
std::string shell_quote(std::string_view word);

/// Quoted words with spaces between them.
std::string shell_command(const std::vector<std::string>& argv);

}  // namespace fairwire
