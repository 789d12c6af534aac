// A block: one chunk as it is stored, compressed where that is worth it (docs/protocol.md,
// "Blocks"). Invariant: decoding never writes more than the size that was said, and never believes
// it beyond kMostChunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace fairsync {

constexpr size_t kMostChunk = 16 << 20;
constexpr size_t kBlockHeader = 5;  // codec, decoded size
constexpr size_t kProbeBytes = 4096;

/// One for each thread: its contexts are used again, and nothing is allocated for a block.
class BlockCodec {
 public:
  BlockCodec();
  ~BlockCodec();
  BlockCodec(BlockCodec&&) noexcept;
  BlockCodec& operator=(BlockCodec&&) noexcept;

  /// Appends the block of `chunk` (at most kMostChunk) to `out`, compressed at that level (1 … 19)
  /// where a probe of at most kProbeBytes says that it shrinks, and it then does. 0: never.
  void encode(std::span<const std::byte> chunk, int level, std::vector<std::byte>& out);
  /// The chunk of a whole block, in `out`. Throws ProtocolError.
  void decode(std::span<const std::byte> block, std::vector<std::byte>& out);

  /// Would at least a twentieth be saved?
  bool shrinks(std::span<const std::byte> chunk);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> compressing_;
  std::unique_ptr<ZSTD_DCtx_s, Free> decompressing_;
  std::vector<std::byte> sample_;
  std::vector<std::byte> scratch_;
};

}  // namespace fairsync
