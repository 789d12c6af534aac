// The agent's manifest call reaches datasets/ through this: drivers/ never includes it.
#pragma once

#include "drivers/agent.h"

namespace fairwire {

class DatasetTreeService final : public TreeService {
 public:
  TreeSummary make(const Json& spec, uint64_t seed, const std::string& path) override;
  int64_t mutate(const Json& script, uint64_t seed, const std::string& path) override;
  TreeSummary manifest(const std::string& path, const std::string& out, bool hash) override;
};

}  // namespace fairwire
