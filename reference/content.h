// Pieces and content digests of docs/protocol.md. Invariant: a content digest means something only
// together with the size, which decides where the pieces begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/floor.h"

namespace fairsync {

/// Bytes; 1 MiB below 1 GiB, so that a piece stays in a core's cache; 4 MiB from there, so that a
/// file of 4 TiB has a million digests and not four.
constexpr uint64_t piece_size(uint64_t file_size) {
  return file_size < uint64_t{1} << 30 ? uint64_t{1} << 20 : uint64_t{4} << 20;
}

constexpr uint64_t piece_count(uint64_t file_size) {
  return (file_size + piece_size(file_size) - 1) / piece_size(file_size);
}

/// Bytes of the piece that begins at `offset`, which is below `file_size`.
constexpr uint64_t piece_length(uint64_t file_size, uint64_t offset) {
  return std::min(piece_size(file_size), file_size - offset);
}

Digest digest_of(std::span<const std::byte> bytes);

/// The content digest of a file with these pieces, at least one.
Digest digest_of_pieces(std::span<const Digest> pieces);

/// Reads exactly `buffer.size()` bytes at `offset`, fewer only at the end. Returns the count.
/// Throws SystemError.
size_t read_at(int fd, std::span<std::byte> buffer, uint64_t offset);

/// The content digest of an open file, read from its start, as if it had `size` bytes.
/// false in `whole` when it has fewer. Throws SystemError.
struct ContentDigest {
  Digest digest{};
  bool whole = true;
};
ContentDigest digest_of_file(int fd, uint64_t size, std::vector<std::byte>& buffer);

}  // namespace fairsync
