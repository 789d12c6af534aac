// The floor's errors: what a caller cannot go on from. Three kinds, each carrying what the
// user needs to act: the system said no, a file or message is malformed, a peer broke the
// protocol. They are caught in main, run_trial, the agent's loop and the Python binding only.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fairwire {

/// A system call failed. `what()` reads "ATTEMPT PATH: reason".
class SystemError : public std::runtime_error {
 public:
  SystemError(std::string attempt, std::string path, int error_number);

  std::string attempt;  ///< what was tried, in words ("open", "mount overlay on")
  std::string path;     ///< what it was tried on; empty when it has no path
  int error_number;     ///< errno
};

/// A file or message from outside does not have the documented form.
/// `what()` reads "FILE: POINTER: reason" with POINTER an RFC 6901 JSON pointer or "line N".
class FormatError : public std::runtime_error {
 public:
  FormatError(std::string file, std::string pointer, std::string reason);

  std::string file;
  std::string pointer;
  std::string reason;
};

/// The other end of a connection said something outside the protocol, or went away.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user pressed Ctrl-C or sent SIGTERM: unwind, give everything back, exit 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Throws SystemError with the current errno.
[[noreturn]] void throw_system_error(std::string_view attempt, std::string_view path = {});

/// Returns `result` unless it is -1; then throws SystemError with the current errno.
template <typename Result>
Result check_system(Result result, std::string_view attempt, std::string_view path = {}) {
  if (result == static_cast<Result>(-1)) throw_system_error(attempt, path);
  return result;
}

}  // namespace fairwire
