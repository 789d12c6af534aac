#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace fairwire {
namespace {

std::string system_message(const std::string& attempt, const std::string& path, int error_number) {
  std::string message = attempt;
  if (!path.empty()) message += ' ' + path;
  return message + ": " + std::generic_category().message(error_number);
}

std::string format_message(const std::string& file, const std::string& pointer,
                           const std::string& reason) {
  std::string message = file;
  if (!pointer.empty()) message += ": " + pointer;
  return message + ": " + reason;
}

}  // namespace

SystemError::SystemError(std::string attempt_in, std::string path_in, int error_number_in)
    : std::runtime_error(system_message(attempt_in, path_in, error_number_in)),
      attempt(std::move(attempt_in)),
      path(std::move(path_in)),
      error_number(error_number_in) {}

FormatError::FormatError(std::string file_in, std::string pointer_in, std::string reason_in)
    : std::runtime_error(format_message(file_in, pointer_in, reason_in)),
      file(std::move(file_in)),
      pointer(std::move(pointer_in)),
      reason(std::move(reason_in)) {}

void throw_system_error(std::string_view attempt, std::string_view path) {
  const int error_number = errno;
  throw SystemError(std::string(attempt), std::string(path), error_number);
}

}  // namespace fairwire
