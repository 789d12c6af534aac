// The command line: words in, one verb called. CLI11 stays walled in cli.cc.
#pragma once

#include "harness/exit_code.h"

namespace fairwire {

ExitCode run_command_line(int argc, char** argv);

}  // namespace fairwire
