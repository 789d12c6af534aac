// Walks a tree by file descriptors (openat, O_NOFOLLOW, O_NONBLOCK), never by full paths: deep
// trees, hostile names, FIFOs and symlinks are all just entries. Hashes with every core.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "datasets/manifest.h"

namespace fairwire {

struct WalkOptions {
  bool hash = true;
  unsigned threads = 0;  ///< 0: one a core
  std::function<void(int64_t hashed_bytes, int64_t entries)> progress;  ///< at most 10 times a s
};

struct WalkSummary {
  int64_t entries = 0;
  int64_t files = 0;
  int64_t bytes = 0;      ///< logical sizes of distinct inodes
  int64_t not_regular = 0;  ///< FIFOs, sockets, devices
  int64_t problems = 0;   ///< entries that could not be read
};

/// Calls `visit` for every entry beneath `root`, in ascending byte order of paths.
/// Throws SystemError when the root itself cannot be opened; lesser trouble is in Entry::problem.
WalkSummary walk_tree(const std::string& root, const WalkOptions& options,
                      const std::function<void(const Entry&)>& visit);

}  // namespace fairwire
