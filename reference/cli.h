// The command line of fairsync.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "reference/options.h"

namespace fairsync {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The words after the program's name. Throws UsageError.
Command parse_command(const std::vector<std::string>& words);

/// Runs it and returns the exit code of docs/protocol.md. Throws what ended it early.
int run_command_line(int argc, char** argv);

}  // namespace fairsync
