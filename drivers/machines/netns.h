// A machine made of Linux namespaces on this host: its own root, process list, host name and
// network, thrown away with it (docs/machines.md). It has no network but loopback until a wire is
// laid to it through its namespace_pid.
// Invariant: dropping the object, or killing the harness in any way, takes everything with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "drivers/machine.h"

namespace fairwire {

struct NetnsOptions {
  std::string name;         ///< also the host name: at most 64 bytes
  std::string self_binary;  ///< the fairwire of this host, with the verbs netns-init and agent
  std::string token;        ///< of the harness: owner_token()
  std::string store;        ///< folder of this host to show as its store; empty: one of its own
  bool store_writable = false;
  int64_t root_bytes = int64_t{1} << 30;   ///< cap of all it may write outside of /dev/shm
  int64_t work_bytes = int64_t{16} << 30;  ///< cap of its /dev/shm; at most this host's memory
};

/// Throws SystemError in one line: what was attempted, what it needs, why it failed.
std::unique_ptr<Machine> make_netns_machine(const NetnsOptions& options);

}  // namespace fairwire
