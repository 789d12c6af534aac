#include "reference/vault/block.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "reference/floor.h"

namespace fairsync {
namespace {

enum Codec : uint8_t { kPlain = 0, kZstd = 1 };

constexpr size_t kSlices = 8;  // of a probe, evenly over the chunk
constexpr int kProbeLevel = 1;

// Worth it when at least a twentieth goes.
bool is_less(size_t packed, size_t plain) {
  return packed < plain - plain / 20;
}

void put_header(std::byte* to, Codec codec, size_t size) {
  to[0] = static_cast<std::byte>(codec);
  for (size_t i = 0; i < 4; ++i) to[1 + i] = static_cast<std::byte>(size >> (8 * i));
}

}  // namespace

void BlockCodec::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}
void BlockCodec::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

BlockCodec::BlockCodec()
    : compressing_(ZSTD_createCCtx()),
      decompressing_(ZSTD_createDCtx()),
      sample_(kProbeBytes),
      scratch_(ZSTD_compressBound(kProbeBytes)) {
  if (!compressing_ || !decompressing_) throw std::bad_alloc();
}
BlockCodec::~BlockCodec() = default;
BlockCodec::BlockCodec(BlockCodec&&) noexcept = default;
BlockCodec& BlockCodec::operator=(BlockCodec&&) noexcept = default;

bool BlockCodec::shrinks(std::span<const std::byte> chunk) {
  std::span<const std::byte> probe = chunk;
  if (chunk.size() > kProbeBytes) {
    constexpr size_t kSlice = kProbeBytes / kSlices;
    for (size_t i = 0; i < kSlices; ++i) {
      const size_t from = (chunk.size() - kSlice) / (kSlices - 1) * i;
      std::memcpy(sample_.data() + i * kSlice, chunk.data() + from, kSlice);
    }
    probe = sample_;
  }
  const size_t packed = ZSTD_compressCCtx(compressing_.get(), scratch_.data(), scratch_.size(),
                                          probe.data(), probe.size(), kProbeLevel);
  return ZSTD_isError(packed) == 0 && is_less(packed, probe.size());
}

void BlockCodec::encode(std::span<const std::byte> chunk, int level, std::vector<std::byte>& out) {
  if (chunk.size() > kMostChunk) throw std::length_error("a chunk has at most 16 MiB");
  const size_t start = out.size();
  if (level > 0 && shrinks(chunk)) {
    out.resize(start + kBlockHeader + ZSTD_compressBound(chunk.size()));
    const size_t packed = ZSTD_compressCCtx(compressing_.get(), out.data() + start + kBlockHeader,
                                            out.size() - start - kBlockHeader, chunk.data(),
                                            chunk.size(), std::min(level, ZSTD_maxCLevel()));
    if (ZSTD_isError(packed) == 0 && is_less(packed, chunk.size())) {
      put_header(out.data() + start, kZstd, chunk.size());
      out.resize(start + kBlockHeader + packed);
      return;
    }
  }
  out.resize(start + kBlockHeader + chunk.size());
  put_header(out.data() + start, kPlain, chunk.size());
  if (!chunk.empty()) std::memcpy(out.data() + start + kBlockHeader, chunk.data(), chunk.size());
}

void BlockCodec::decode(std::span<const std::byte> block, std::vector<std::byte>& out) {
  if (block.size() < kBlockHeader) throw ProtocolError("a block is shorter than its header");
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= std::to_integer<size_t>(block[1 + i]) << (8 * i);
  if (size > kMostChunk) throw ProtocolError("a block says it is longer than 16 MiB");
  const std::span<const std::byte> payload = block.subspan(kBlockHeader);
  const auto codec = std::to_integer<uint8_t>(block[0]);
  if (codec == kPlain) {
    if (payload.size() != size) throw ProtocolError("a block has another size than it says");
    out.assign(payload.begin(), payload.end());
    return;
  }
  if (codec != kZstd) throw ProtocolError("a block of unknown codec " + std::to_string(codec));
  out.resize(size);
  const size_t decoded = ZSTD_decompressDCtx(decompressing_.get(), out.data(), out.size(),
                                             payload.data(), payload.size());
  if (ZSTD_isError(decoded) != 0 || decoded != size) {
    out.clear();
    throw ProtocolError("a block is not what zstd wrote, or not as long as it says");
  }
}

}  // namespace fairsync
