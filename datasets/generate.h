// Makes the tree of a recipe. Deterministic: content, sizes, names, modes and times depend on
// (recipe, seed) alone, in the order the recipe states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "datasets/spec.h"

namespace fairwire {

using ProgressFunction = std::function<void(int64_t done_bytes, int64_t done_files)>;

struct GeneratedTree {
  int64_t files = 0;
  int64_t bytes = 0;
};

/// `path` must not exist; its parent must. Throws SystemError.
GeneratedTree generate_dataset(const DatasetSpec& spec, uint64_t seed, const std::string& path,
                               const ProgressFunction& progress = {});

}  // namespace fairwire
