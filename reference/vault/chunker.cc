#include "reference/vault/chunker.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "base/rng.h"

namespace fairsync {
namespace {

constexpr uint64_t kMedium = uint64_t{32} << 20;
constexpr uint64_t kLarge = uint64_t{1} << 30;
constexpr size_t kWindow = 64;  // what a 64-bit hash still knows: each byte shifts one bit out
constexpr size_t kUnrolled = 8;

uint64_t lower_bound_of(SizeClass size_class) {
  if (size_class == SizeClass::small) return 0;
  return size_class == SizeClass::medium ? kMedium : kLarge;
}

uint64_t upper_bound_of(SizeClass size_class) {
  if (size_class == SizeClass::large) return UINT64_MAX;
  return size_class == SizeClass::small ? kMedium : kLarge;
}

// A hash of 2^64 equally likely values is below it once in 2^bits.
constexpr uint64_t threshold(int bits) {
  return uint64_t{1} << (64 - bits);
}

struct Thresholds {
  uint64_t rare;
  uint64_t common;
};

// One bit harder than the average before it, one bit easier behind: sizes gather around it.
Thresholds thresholds_of(const ChunkSizes& sizes) {
  const int bits = std::countr_zero(sizes.average);
  return {threshold(bits + 1), threshold(bits - 1)};
}

uint64_t warm(const std::byte* from, const std::byte* to, const GearTable& table) {
  uint64_t hash = 0;
  for (; from != to; ++from) hash = (hash << 1) + table[static_cast<uint8_t>(*from)];
  return hash;
}

// The first end in (first, last] after whose byte the hash is below `bound`; npos: none. The hash
// is that of the 64 bytes before, or of all there are.
constexpr size_t npos = SIZE_MAX;

size_t find_below(std::span<const std::byte> bytes, size_t first, size_t last, uint64_t bound,
                  const GearTable& table) {
  if (first >= last) return npos;
  const std::byte* data = bytes.data();
  uint64_t hash = warm(data + (first - std::min(first, kWindow)), data + first, table);
  size_t at = first;
  const auto word = [&](size_t i) { return table[static_cast<uint8_t>(data[i])]; };
  for (; at + kUnrolled <= last; at += kUnrolled) {
    uint64_t least = UINT64_MAX;
    uint64_t ahead = hash;
    for (size_t i = 0; i < kUnrolled; ++i) {
      ahead = (ahead << 1) + word(at + i);
      least = std::min(least, ahead);
    }
    if (least < bound) break;
    hash = ahead;
  }
  for (; at < last; ++at) {
    hash = (hash << 1) + word(at);
    if (hash < bound) return at + 1;
  }
  return npos;
}

// Where the hash is below the common bound in a part of a file, and whether below the rare one.
struct Candidate {
  size_t end;
  bool rare;
};

std::vector<Candidate> candidates_of(std::span<const std::byte> file, size_t first, size_t last,
                                     const Thresholds& bounds, const GearTable& table) {
  std::vector<Candidate> found;
  while (true) {
    const size_t end = find_below(file, first, last, bounds.common, table);
    if (end == npos) return found;
    const std::byte* to = file.data() + end;
    const uint64_t hash = warm(to - std::min(end, kWindow), to, table);
    found.push_back({end, hash < bounds.rare});
    first = end;
  }
}

}  // namespace

GearTable gear_table(const std::array<uint8_t, 32>& secret) {
  std::array<uint64_t, 4> state{};
  for (size_t i = 0; i < secret.size(); ++i) {
    state[i / 8] |= uint64_t{secret[i]} << (8 * (i % 8));
  }
  fairwire::Rng words(state);
  GearTable table;
  for (uint64_t& word : table) word = words.next();
  return table;
}

SizeClass size_class_of(uint64_t file_size) {
  if (file_size >= kLarge) return SizeClass::large;
  return file_size >= kMedium ? SizeClass::medium : SizeClass::small;
}

SizeClass size_class_of(uint64_t file_size, SizeClass before) {
  const uint64_t above = upper_bound_of(before);
  const bool grew = above != UINT64_MAX && file_size >= 2 * above;
  const bool shrank = file_size < lower_bound_of(before) / 2;
  return grew || shrank ? size_class_of(file_size) : before;
}

Chunker::Chunker(const GearTable& table, SizeClass size_class)
    : table_(table), sizes_(chunk_sizes(size_class)) {
  const Thresholds bounds = thresholds_of(sizes_);
  rare_ = bounds.rare;
  common_ = bounds.common;
}

size_t Chunker::next(std::span<const std::byte> bytes, bool at_end) const {
  const size_t size = bytes.size();
  const size_t middle = std::min<size_t>(size, sizes_.average);
  const size_t last = std::min<size_t>(size, sizes_.most);
  size_t cut = find_below(bytes, std::min<size_t>(size, sizes_.least), middle, rare_, table_);
  if (cut == npos) cut = find_below(bytes, middle, last, common_, table_);
  if (cut != npos) return cut;
  return last == sizes_.most || at_end ? last : 0;
}

std::vector<size_t> cut_all(std::span<const std::byte> file, const GearTable& table,
                            SizeClass size_class, int threads) {
  const ChunkSizes sizes = chunk_sizes(size_class);
  const Thresholds bounds = thresholds_of(sizes);
  const auto parts = static_cast<size_t>(std::max(1, threads));
  std::vector<std::vector<Candidate>> found(parts);
  std::vector<std::thread> workers;
  for (size_t i = 0; i < parts; ++i) {
    workers.emplace_back([&, i] {
      found[i] = candidates_of(file, file.size() / parts * i,
                               i + 1 == parts ? file.size() : file.size() / parts * (i + 1), bounds,
                               table);
    });
  }
  for (std::thread& worker : workers) worker.join();
  std::vector<Candidate> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());

  std::vector<size_t> lengths;
  size_t next = 0;  // in `all`; what is before it lies behind us
  for (size_t start = 0; start < file.size(); start += lengths.back()) {
    const size_t most = std::min<size_t>(file.size() - start, sizes.most);
    size_t length = most;
    while (next < all.size() && all[next].end <= start + sizes.least) ++next;
    for (size_t i = next; i < all.size() && all[i].end - start <= most; ++i) {
      if (!all[i].rare && all[i].end - start <= sizes.average) continue;
      length = all[i].end - start;
      break;
    }
    lengths.push_back(length);
  }
  return lengths;
}

}  // namespace fairsync
