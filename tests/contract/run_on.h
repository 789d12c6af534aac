// A program on a machine, run to its end, with what it printed: what most tests of machines do.
#pragma once

#include <string>
#include <vector>

#include "drivers/machine.h"

namespace fairwire {

struct RunOn {
  ExecReport report;
  std::string out;
  std::string err;

  bool ok() const { return report.end == ExecEnd::exited && report.exit_code == 0; }
};

RunOn run_on(Machine& machine, const std::vector<std::string>& argv);

}  // namespace fairwire
