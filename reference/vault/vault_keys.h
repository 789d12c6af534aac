// What a vault's key is used for (docs/protocol.md, "Keys of a vault"): one derived key for each
// purpose, so that none tells of another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/floor.h"
#include "reference/hkdf.h"
#include "reference/vault/chunker.h"

namespace fairsync {

/// The name of a chunk: 32 bytes that say nothing to who has not the vault's key.
using ChunkId = Digest;
using PackName = std::array<uint8_t, 16>;

class VaultKeys {
 public:
  explicit VaultKeys(const Key256& vault_key);

  const GearTable& gear() const { return gear_; }
  /// HMAC-SHA256 over the length and the digests of the leaves.
  ChunkId chunk_id(uint64_t length, std::span<const Digest> leaves) const;
  ChunkId chunk_id(std::span<const std::byte> chunk) const;
  /// Of several chunks: a megabyte or more at once is hashed twice as fast (leaf_hash.h).
  std::vector<ChunkId> chunk_ids(std::span<const std::span<const std::byte>> chunks) const;
  /// The key of one pack, by its name.
  Key256 pack_key(const PackName& name) const;

 private:
  GearTable gear_;
  Key256 id_;
  Key256 packs_;
};

/// A new vault's, from the kernel.
Key256 random_key();
PackName random_pack_name();

/// 32 lower-case hex digits.
std::string to_text(const PackName& name);

}  // namespace fairsync
