#include "harness/builders.h"

#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "drivers/agent/agent_host.h"
#include "drivers/machines/local.h"
#include "drivers/machines/netns.h"
#include "drivers/machines/ssh.h"
#include "drivers/sweep.h"
#include "drivers/wires/open_wire.h"
#include "drivers/wires/real_wire.h"
#include "drivers/wires/tun_wire.h"
#include "harness/exit_code.h"

namespace fairwire {
namespace {

// The static program for other machines: `make static` puts it beside the release build.
std::string static_binary(const std::string& self) {
  if (const char* given = std::getenv("FAIRWIRE_STATIC"); given != nullptr && *given != '\0') {
    return given;
  }
  const std::string folder = self.substr(0, self.rfind('/'));
  const std::string beside = folder.substr(0, folder.rfind('/')) + "/static/fairwire";
  if (::access(beside.c_str(), X_OK) == 0) return beside;
  throw UnfitError("ssh machines need the static binary, and " + beside +
                   " is not there: type make static, or set FAIRWIRE_STATIC");
}

}  // namespace

struct Site::Options {
  std::string token;
  std::string folder;
  std::string self;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>>
      addresses;  // of machines we do not lay a wire to
};

Site::Site(const TestbedSpec& testbed, uint64_t seed) : options_(std::make_shared<Options>()) {
  options_->token = owner_token();
  options_->folder = owner_folder(options_->token);
  options_->self = own_binary();
  options_->seed = seed;
  for (const MachineSpec& machine : testbed.machines) {
    options_->addresses.emplace_back(machine.name, machine.address);
  }
  make_directories(options_->folder, 0755);
}

Site::~Site() {
  try {
    remove_tree(options_->folder);
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

namespace {

std::unique_ptr<Machine> build_netns(const MachineSpec& spec, const std::string& self,
                                     const std::string& token, const std::string& folder) {
  NetnsOptions options;
  options.name = spec.name;
  options.self_binary = self;
  options.token = token;
  options.store = folder + "/store-" + spec.name;
  options.store_writable = true;
  if (spec.root_bytes > 0) options.root_bytes = spec.root_bytes;
  if (spec.work_bytes > 0) options.work_bytes = spec.work_bytes;
  make_directories(options.store);
  return make_netns_machine(options);
}

std::unique_ptr<Machine> build_ssh(const MachineSpec& spec, const std::string& self,
                                   const std::string& folder) {
  SshOptions options;
  options.name = spec.name;
  options.host = spec.host;
  options.port = static_cast<int>(spec.port);
  options.user = spec.user;
  options.identity_file = spec.identity_file;
  options.host_key = spec.host_key;
  options.address = spec.address;
  options.agent_binary = static_binary(self);
  const std::string fairsync =
      options.agent_binary.substr(0, options.agent_binary.rfind('/')) + "/fairsync";
  if (::access(fairsync.c_str(), X_OK) == 0) options.companions = {fairsync};
  options.work_root = spec.work_root;
  options.run_folder = folder + "/ssh";
  make_directories(options.run_folder, 0700);
  return make_ssh_machine(options);
}

TunWireOptions tun_options(const WireSpec& spec, const std::vector<Machine*>& machines) {
  TunWireOptions options;
  options.late_bound = spec.late_bound;
  const auto limit = [](const auto& link) {
    return LinkLimit{link.bits_per_second, link.queue_bytes, {}, link.trace};
  };
  for (const Machine* from : machines) {
    const std::string& name = from->info().name;
    const AccessSpec access = spec.access_of(name);
    options.access.push_back({name, limit(access.up), limit(access.down), access.nat});
    for (const Machine* to : machines) {
      if (to == from) continue;
      const PathSpec path = spec.path_between(name, to->info().name);
      options.paths.push_back(
          {path.from, path.to, path.delay, path.jitter, path.loss, limit(path), path.burst});
    }
  }
  return options;
}

}  // namespace

Builders Site::builders() const {
  const std::shared_ptr<Options> options = options_;
  Builders builders;
  builders.machine = [options](const MachineSpec& spec) -> std::unique_ptr<Machine> {
    if (spec.kind == "local") return make_local_machine(spec.name, options->self, options->token);
    if (spec.kind == "netns") {
      return build_netns(spec, options->self, options->token, options->folder);
    }
    if (spec.kind == "ssh") return build_ssh(spec, options->self, options->folder);
    throw UnfitError("the machine " + spec.name + " is of kind " + spec.kind +
                     ", which this version cannot build; use local, netns or ssh");
  };
  builders.wire = [options](const WireSpec& spec, const std::vector<Machine*>& machines,
                            const NetworkConditions& conditions) {
    if (spec.kind == "real") return make_real_wire(options->addresses);
    std::vector<WireEnd> ends;
    for (Machine* machine : machines) {
      ends.push_back({machine->info().name, machine->info().namespace_pid});
    }
    if (spec.kind == "open") return make_open_wire(ends, {.conditions = conditions});
    TunWireOptions tun;
    if (!conditions.ceiling) tun = tun_options(spec, machines);
    tun.self_binary = options->self;
    tun.token = options->token;
    tun.seed = options->seed;
    tun.conditions = conditions;
    return make_tun_wire(ends, tun);
  };
  return builders;
}

}  // namespace fairwire
