// The contract's rows for the machine we are on: each way to meter, another user, and an agent that
// is process 1 of a PID namespace.
#include "tests/contract/machine_contract.h"

#include <unistd.h>

#include "drivers/machines/local.h"
#include "drivers/meter/control_group.h"
#include "drivers/subprocess.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

MachineRow local_row(const std::string& name, const std::string& meter,
                     const std::vector<std::string>& before = {}) {
  MachineRow row;
  row.name = name;
  row.make = [meter, before] {
    LocalSetup setup;
    setup.name = "paris";
    setup.self_binary = FAIRWIRE_TEST_AGENT;
    setup.token = owner_token();  // of the process that calls
    setup.meter = meter;
    setup.before = before;
    return make_local_machine(setup);
  };
  if ((meter == "cgroup2" || meter == "cpuacct") && !writable_own_group(meter)) {
    row.why_skipped = "no writable " + meter + " hierarchy";
  }
  if (!before.empty() && ::geteuid() != 0) row.why_skipped = "needs root";
  return row;
}

std::vector<MachineRow> local_rows() {
  return {
      local_row("cgroup2", "cgroup2"), local_row("cpuacct", "cpuacct"), local_row("wait4", "wait4"),
      local_row("nobody", "auto", {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}),
      local_row("pid_1", "auto", {"unshare", "--pid", "--fork", "--mount-proc"})};
}

INSTANTIATE_TEST_SUITE_P(Local, MachineContract, testing::ValuesIn(local_rows()), machine_row_name);

}  // namespace
}  // namespace fairwire
