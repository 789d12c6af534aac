// Changes a tree in a stated, seeded way (docs/dataset.md, "Mutation scripts"): the second half of
// every update case.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace fairwire {

struct Mutation {
  enum class Kind { append, prepend, insert, overwrite_blocks, rename, touch, remove };
  Kind kind = Kind::append;
  std::string path;          ///< relative; "*" means every regular file, in byte order of paths
  std::string to;            ///< of rename
  int64_t bytes = 0;         ///< of append, prepend, insert
  int64_t block_bytes = 0;   ///< of overwrite_blocks
  int64_t per_thousand = 0;  ///< share of blocks overwritten
};

struct MutationScript {
  std::string name;
  std::vector<Mutation> steps;
};

/// What had to move at least: the bytes that are new in the tree.
struct MutationResult {
  int64_t new_bytes = 0;
  int64_t changed_entries = 0;
};

MutationScript parse_mutation_script(const Json& json, const std::string& file);
MutationResult mutate_tree(const MutationScript& script, uint64_t seed, const std::string& path);

}  // namespace fairwire
