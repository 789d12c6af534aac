// Walks a tree by file descriptors (openat, O_NOFOLLOW, O_NONBLOCK), never by full paths: deep
// trees, hostile names, FIFOs and symlinks are all just entries. Hashes with every core.
// Bounds, whatever the tree: about 100 descriptors; in memory the names of the folders on the way
// down, 8 MiB of entries waiting for their turn, and the inodes that have several names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "datasets/manifest.h"

namespace fairwire {

struct WalkOptions {
  bool hash = true;
  unsigned threads = 0;                                                 ///< 0: one a core
  std::function<void(int64_t hashed_bytes, int64_t entries)> progress;  ///< at most 10 times a s
};

struct WalkSummary {
  int64_t entries = 0;
  int64_t files = 0;
  int64_t bytes = 0;            ///< logical sizes of distinct inodes
  int64_t allocated_bytes = 0;  ///< what they occupy: less than `bytes` when they have holes
  int64_t not_regular = 0;      ///< FIFOs, sockets, devices
  int64_t problems = 0;         ///< entries that could not be read
};

/// Calls `visit` (on the calling thread) for every entry beneath `root`, in ascending byte order of
/// paths. Throws SystemError when the root itself cannot be opened or listed; lesser trouble is in
/// Entry::problem. A file that changes while it is read is such a problem, never a digest. What
/// `visit` throws comes out.
WalkSummary walk_tree(const std::string& root, const WalkOptions& options,
                      const std::function<void(const Entry&)>& visit);

}  // namespace fairwire
