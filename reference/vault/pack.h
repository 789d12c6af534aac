// A pack: up to 16 MiB of sealed blocks in one object with its index (docs/protocol.md, "Packs").
// Invariant: what a reader takes from a pack is what its writer put there under that id, or
// refused.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/vault/block.h"
#include "reference/vault/sealer.h"
#include "reference/vault/vault_keys.h"

namespace fairsync {

constexpr size_t kPackBytes = 16 << 20;     ///< a pack is finished when it has them
constexpr size_t kMostPack = 48 << 20;      ///< what a reader believes
constexpr size_t kPackHeader = 24;          ///< magic, name
constexpr size_t kPackTrailer = 4;          ///< length of the sealed index
constexpr size_t kPackEntry = 40;           ///< id, stored size, size
constexpr size_t kMostPackEntries = 65536;  ///< of one pack

struct PackEntry {
  ChunkId id;
  uint64_t offset = 0;  ///< in the object
  uint32_t stored = 0;  ///< bytes there, sealed
  uint32_t size = 0;    ///< of the chunk
  uint64_t number = 0;  ///< of the block in its pack
};

class PackWriter {
 public:
  explicit PackWriter(const VaultKeys& keys);

  /// Compressed at that level (block.h), sealed, appended.
  void add(const ChunkId& id, std::span<const std::byte> chunk, int level, BlockCodec& codec);
  size_t blocks() const { return entries_.size(); }
  /// No more should be added.
  bool full() const { return object_.size() >= kPackBytes || entries_.size() == kMostPackEntries; }
  const PackName& name() const { return name_; }
  const std::vector<PackEntry>& entries() const { return entries_; }
  /// The whole object. Then restart().
  std::span<const std::byte> finish();
  /// An empty pack of another name, in the same memory.
  void restart();

 private:
  const VaultKeys& keys_;
  PackName name_{};
  Sealer sealer_;
  std::vector<std::byte> object_;
  std::vector<PackEntry> entries_;
};

/// Reads packs: one for each thread.
class PackReader {
 public:
  PackReader(const VaultKeys& keys, const PackName& name);

  /// Length of the sealed index by the last 4 bytes of an object of that size; the index stands
  /// right before them. Throws ProtocolError for what cannot be.
  static size_t index_length(std::span<const std::byte> trailer, uint64_t object_size);
  /// Opens `sealed` in place. Throws ProtocolError naming what is wrong.
  std::vector<PackEntry> index(std::span<std::byte> sealed, uint64_t object_size);
  /// The chunk of `entry` in `chunk`, checked against its id; `stored` is opened in place. Throws
  /// ProtocolError.
  void block(const PackEntry& entry, std::span<std::byte> stored, BlockCodec& codec,
             std::vector<std::byte>& chunk);

 private:
  [[noreturn]] void refuse(const std::string& what) const;

  const VaultKeys& keys_;
  PackName name_;
  Sealer sealer_;
};

}  // namespace fairsync
