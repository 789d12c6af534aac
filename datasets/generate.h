// Makes the tree of a recipe. Deterministic: content, sizes, names, modes and times depend on
// (recipe, seed) alone, whatever the number of threads (docs/dataset.md, section 2).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "datasets/spec.h"

namespace fairwire {

using ProgressFunction = std::function<void(int64_t done_bytes, int64_t done_files)>;

struct GeneratedTree {
  int64_t files = 0;  ///< names of regular files
  int64_t bytes = 0;  ///< logical sizes of distinct inodes
};

/// Size of the `index`-th file of the recipe's group number `group`.
int64_t drawn_size(const FileGroup& group, size_t group_number, uint64_t seed, int64_t index);

/// `path` must not exist; its parent must. `progress` is called on the calling thread, at most 10
/// times a second and once at the end. `threads` 0 means one a core. Throws SystemError; what was
/// made until then stays.
GeneratedTree generate_dataset(const DatasetSpec& spec, uint64_t seed, const std::string& path,
                               const ProgressFunction& progress = {}, unsigned threads = 0);

}  // namespace fairwire
