// The agent, our end on a machine (docs/agent.md): one loop over stdin, its children and its
// timers. It stamps, meters, watches, and on end of input kills all it started, removes its
// folders and leaves nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "drivers/machine.h"

namespace fairwire {

inline constexpr int kAgentProtocol = 4;

struct AgentOptions {
  std::string name = "machine";
  std::string token;  ///< names its folders and control groups; empty: from its pid and start time
  std::string work;   ///< empty: /dev/shm/fairwire-TOKEN/NAME/work
  std::string store;  ///< empty: /dev/shm/fairwire-TOKEN/NAME/store
  std::string meter = "auto";  ///< auto, cgroup2, cpuacct, wait4
};

/// Of the words after `fairwire agent`: --name, --token, --work, --store, --meter, each with a
/// value. Throws FormatError for any other.
AgentOptions parse_agent_options(const std::vector<std::string>& words);

/// What the agent needs of datasets/, wired up by harness/ (drivers never includes datasets).
/// All throw the floor's errors.
class TreeService {
 public:
  virtual ~TreeService() = default;
  virtual TreeSummary make(const Json& spec, uint64_t seed, const std::string& path) = 0;
  /// How many bytes are new in the tree.
  virtual int64_t mutate(const Json& script, uint64_t seed, const std::string& path) = 0;
  virtual TreeSummary manifest(const std::string& path, const std::string& out, bool hash) = 0;
};

/// Serves one harness on `input` and `output` until end of input. Returns the exit code: 0, or 4
/// with words on stderr when this host cannot do what the options ask. To be called by a process
/// with no other thread: helpers are forks, and the signal mask changes.
int serve_agent(const AgentOptions& options, TreeService& trees, int input, int output);

}  // namespace fairwire
