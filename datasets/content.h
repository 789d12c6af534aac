// The bytes of a file of a data set (docs/dataset.md, sections 2 and 3): made block by block, each
// from a seed of its own, so that any thread can make any block in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "datasets/spec.h"

namespace fairwire {

constexpr int64_t kContentBlockBytes = int64_t{1} << 20;       ///< part of schema 1
constexpr int64_t kSparseStepBytes = 16 * kContentBlockBytes;  ///< of `sparse`: data at each step
constexpr int64_t kSparseDataBytes = 4096;

/// The seed of a file's content; `path` is its path within the tree.
uint64_t content_seed(uint64_t seed, std::string_view path);

/// The first out.size() bytes of block `block` (at most kContentBlockBytes) of a file.
void fill_block(Content content, uint64_t file_seed, int64_t block, std::span<std::byte> out);

/// Log lines of one block (section 3).
void fill_log_text(uint64_t block_seed, int64_t block, std::span<std::byte> out);

}  // namespace fairwire
