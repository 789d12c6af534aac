// The folders of an agent: work with home, tmp and logs in it, and the store.
// Invariant: what this object made goes with it; what was there before stays, as it was.
#pragma once

#include <string>
#include <vector>

#include "drivers/agent/agent_exec.h"

namespace fairwire {

class AgentFolders {
 public:
  /// Makes what is missing. Throws SystemError{ENOTEMPTY} when work holds anything.
  explicit AgentFolders(const AgentPlace& place);
  ~AgentFolders();
  AgentFolders(const AgentFolders&) = delete;
  AgentFolders& operator=(const AgentFolders&) = delete;

  /// Removes all in work and makes home, tmp and logs anew. Work itself may be a mount point.
  void empty_work() const;

 private:
  void make(const std::string& path);
  void clear() const;

  AgentPlace place_;
  bool work_was_there_;
  bool store_was_there_;
  std::vector<std::string> made_;  // parents before children
};

}  // namespace fairwire
