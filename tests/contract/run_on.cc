#include "tests/contract/run_on.h"

namespace fairwire {

RunOn run_on(Machine& machine, const std::vector<std::string>& argv) {
  const std::string logs = machine.info().work + "/logs/run-on";
  machine.remove(logs + ".out");
  machine.remove(logs + ".err");
  ExecSpec spec;
  spec.name = "run-on";
  spec.argv = argv;
  const int handle = machine.start(spec);
  RunOn run;
  if (const auto report = machine.wait(handle, std::chrono::seconds(60))) {
    run.report = *report;
  } else {
    run.report = machine.stop(handle, std::chrono::seconds(1));
  }
  run.out = machine.get(logs + ".out", 1 << 20).value_or("");
  run.err = machine.get(logs + ".err", 1 << 20).value_or("");
  return run;
}

}  // namespace fairwire
