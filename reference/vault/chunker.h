// Content-defined chunks of docs/protocol.md, "Chunks": where a file is cut depends on its size
// class and on the 64 bytes before a cut, so an insertion moves the cuts behind it along with the
// content. Invariant: the same bytes, class and table give the same cuts, however many threads look
// for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fairsync {

/// One random word for each byte value, of a vault: what a stranger sees of sizes tells less.
using GearTable = std::array<uint64_t, 256>;

/// Of 32 bytes that stay within the vault: xoshiro of four words, as base/rng.h has it.
GearTable gear_table(const std::array<uint8_t, 32>& secret);

enum class SizeClass : uint8_t { small = 0, medium = 1, large = 2 };

struct ChunkSizes {
  uint64_t least;
  uint64_t average;
  uint64_t most;
};

/// Average 256 KiB, 1 MiB, 4 MiB; a quarter of it at least, four times it at most.
constexpr ChunkSizes chunk_sizes(SizeClass size_class) {
  const uint64_t average = uint64_t{256 << 10} << (2 * static_cast<int>(size_class));
  return {average / 4, average, average * 4};
}

/// Of a file that was not there before: medium from 32 MiB, large from 1 GiB.
SizeClass size_class_of(uint64_t file_size);
/// Of one that was cut as `before`: it stays until the size has doubled past the bound above it, or
/// halved below the one under it.
SizeClass size_class_of(uint64_t file_size, SizeClass before);

/// Cuts a file that is read from its start to its end.
class Chunker {
 public:
  Chunker(const GearTable& table, SizeClass size_class);

  /// Length of the first chunk of `bytes`, which begin at a cut. 0: it cannot be told yet, more
  /// bytes are needed (at most chunk_sizes().most). With `at_end` nothing follows them, and it is
  /// 0 for no bytes alone.
  size_t next(std::span<const std::byte> bytes, bool at_end) const;

  const ChunkSizes& sizes() const { return sizes_; }

 private:
  const GearTable& table_;
  ChunkSizes sizes_;
  uint64_t rare_;    // a hash below it is a cut before the average,
  uint64_t common_;  // and below this one behind it
};

/// Lengths of all chunks of one file in memory, looked for by so many threads.
std::vector<size_t> cut_all(std::span<const std::byte> file, const GearTable& table,
                            SizeClass size_class, int threads);

}  // namespace fairsync
