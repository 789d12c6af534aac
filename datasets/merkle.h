// The Merkle root of a list of lines (docs/manifest.md, "The Merkle root"): the tree hash of
// RFC 6962, built as a stream. Invariant: one digest is held for each bit of the number of lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"

namespace fairwire {

class MerkleTree {
 public:
  void add(std::string_view line);
  /// Of the lines added so far; more may follow.
  Digest root();

 private:
  Digest node(const Digest& left, const Digest& right);

  Sha256 hash_;
  std::vector<Digest> peaks_;  // roots of whole subtrees, the largest first
  uint64_t lines_ = 0;
};

/// An entry's line as it goes into the root: without `,"local":{…}`.
std::string without_local(std::string_view line);

}  // namespace fairwire
