// The inside of `fairwire netns-init JSON`, the internal verb that turns a process into a fresh
// machine: new mount, pid, host name, IPC and network namespaces, a fresh root, then the agent as
// pid 1. The verb's process stays outside as the janitor of its pid 1.
// Its first line on stdout is {"namespace_pid":N} or {"failed":{attempt,path,errno}}; all after
// it is the agent's. Invariant: nothing it makes outlives it, and it does not outlive the harness
// that holds the other end of its stdin.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace fairwire {

struct NetnsInitOptions {
  std::string name;         ///< of the machine, also its host name
  std::string token;        ///< the agent's
  std::string self_binary;  ///< absolute path of fairwire on this host
  std::string store;        ///< absolute folder on this host; empty: a folder of its own
  bool store_writable = false;
  int64_t root_bytes = 0;  ///< cap of all it may write outside of /dev/shm
  int64_t work_bytes = 0;  ///< cap of its /dev/shm
};

/// The one argument of the verb, and back. Throws FormatError for anything else.
Json to_json(const NetnsInitOptions& options);
NetnsInitOptions netns_init_options_from(const Json& json);

/// Kills what is in the control groups of that machine's agent and removes them: what an agent
/// that was killed could not do itself.
void remove_machine_groups(const std::string& token, const std::string& name);

/// Needs a single-threaded process. Serves until the machine has ended, then ends the process
/// without its exit handlers: a leak check would want to fork into the pid namespace that is gone.
[[noreturn]] void run_netns_init(const NetnsInitOptions& options);

}  // namespace fairwire
