// The contract's rows for machines of namespaces and machines behind ssh.
#include <unistd.h>

#include <memory>
#include <vector>

#include "drivers/machines/netns.h"
#include "drivers/sweep.h"
#include "tests/contract/machine_contract.h"
#include "tests/contract/ssh_host.h"

namespace fairwire {
namespace {

MachineRow netns_row(const std::string& name, bool with_store) {
  MachineRow row;
  row.name = name;
  const auto store = std::make_shared<std::unique_ptr<TempDir>>();
  row.make = [store, with_store] {
    NetnsOptions options;
    options.name = "paris";
    options.self_binary = FAIRWIRE_TEST_AGENT;
    options.token = owner_token();
    options.work_bytes = int64_t{1} << 30;
    if (with_store) {
      if (!*store) *store = std::make_unique<TempDir>("contract-store");
      options.store = (*store)->path();
      options.store_writable = true;
    }
    return make_netns_machine(options);
  };
  row.give_back = [store] { store->reset(); };
  if (::geteuid() != 0) row.why_skipped = "machines of namespaces need root";
  return row;
}

MachineRow ssh_row(const std::string& name, const std::string& work_root) {
  MachineRow row;
  row.name = name;
  // One host for all machines of a test, also for those of a harness that is to be killed.
  const auto host = std::make_shared<std::unique_ptr<SshHost>>();
  row.make = [work_root, host] {
    if (!*host) *host = std::make_unique<SshHost>(FAIRWIRE_TEST_AGENT);
    SshOptions options = (*host)->options();
    options.work_root = work_root;
    std::unique_ptr<Machine> machine;
    (*host)->inside([&] { machine = make_ssh_machine(options); });
    return machine;
  };
  row.give_back = [host] { host->reset(); };
  if (::geteuid() != 0) row.why_skipped = "an sshd of our own needs root";
  if (::access("/usr/sbin/sshd", X_OK) != 0) row.why_skipped = "no /usr/sbin/sshd";
  return row;
}

INSTANTIATE_TEST_SUITE_P(Netns, MachineContract,
                         testing::Values(netns_row("own_store", false),
                                         netns_row("shared_store", true)),
                         machine_row_name);
INSTANTIATE_TEST_SUITE_P(Ssh, MachineContract,
                         testing::Values(ssh_row("in_memory", ""),
                                         ssh_row("in_a_folder", "/var/tmp/bench")),
                         machine_row_name);

}  // namespace
}  // namespace fairwire
