// docs/protocol.md, "Chunks" and "Ids".
#include "reference/vault/chunker.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "reference/vault/leaf_hash.h"
#include "reference/vault/sha256_lanes.h"
#include "reference/vault/vault_keys.h"
#include "tests/reference/vault_for_tests.h"

namespace fairsync {
namespace {

constexpr size_t kMebibyte = 1 << 20;

using testing_vault::keys;
using testing_vault::random_bytes;

std::vector<size_t> cut_serially(std::span<const std::byte> file, SizeClass size_class) {
  const Chunker chunker(keys().gear(), size_class);
  std::vector<size_t> lengths;
  while (!file.empty()) {
    const size_t shown = std::min<size_t>(file.size(), chunker.sizes().most);
    lengths.push_back(chunker.next(file.first(shown), shown == file.size()));
    file = file.subspan(lengths.back());
  }
  return lengths;
}

std::multiset<std::string> pieces(std::span<const std::byte> file,
                                  const std::vector<size_t>& lengths) {
  std::multiset<std::string> found;
  size_t at = 0;
  for (const size_t length : lengths) {
    found.insert(fairwire::to_hex(keys().chunk_id(file.subspan(at, length))));
    at += length;
  }
  return found;
}

size_t not_in(const std::multiset<std::string>& those, const std::multiset<std::string>& before) {
  size_t count = 0;
  for (const std::string& one : those) count += before.contains(one) ? 0 : 1;
  return count;
}

// The definition, byte for byte, without any of the tricks.
std::vector<size_t> cut_by_the_book(std::span<const std::byte> file, SizeClass size_class) {
  const ChunkSizes sizes = chunk_sizes(size_class);
  const int bits = std::countr_zero(sizes.average);
  std::vector<size_t> lengths;
  uint64_t hash = 0;
  size_t start = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    hash = (hash << 1) + keys().gear()[std::to_integer<uint8_t>(file[i])];
    const size_t length = i + 1 - start;
    const int needed = length <= sizes.average ? bits + 1 : bits - 1;
    const bool cut = length > sizes.least && hash < uint64_t{1} << (64 - needed);
    if (!cut && length < sizes.most && i + 1 < file.size()) continue;
    lengths.push_back(length);
    start = i + 1;
  }
  return lengths;
}

TEST(Chunker, CutsAsTheBookSays) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{65536}, size_t{65537}, size_t{300'000}, 9 * kMebibyte + 7}) {
    const auto file = random_bytes(size, size + 1);
    EXPECT_EQ(cut_serially(file, SizeClass::small), cut_by_the_book(file, SizeClass::small))
        << size;
  }
  const auto file = random_bytes(40 * kMebibyte, 5);
  EXPECT_EQ(cut_serially(file, SizeClass::medium), cut_by_the_book(file, SizeClass::medium));
  const std::vector<std::byte> zeros(3 * kMebibyte);
  EXPECT_EQ(cut_serially(zeros, SizeClass::small), cut_by_the_book(zeros, SizeClass::small));
}

TEST(Chunker, ThreadsCutAsOne) {
  for (const size_t size : {size_t{0}, size_t{100}, 5 * kMebibyte, 33 * kMebibyte + 12345}) {
    const auto file = random_bytes(size, 7);
    const auto serial = cut_serially(file, SizeClass::small);
    for (const int threads : {1, 2, 3, 8}) {
      EXPECT_EQ(cut_all(file, keys().gear(), SizeClass::small, threads), serial)
          << size << " " << threads;
    }
  }
  const std::vector<std::byte> zeros(9 * kMebibyte + 1);
  EXPECT_EQ(cut_all(zeros, keys().gear(), SizeClass::small, 4),
            cut_serially(zeros, SizeClass::small));
}

TEST(Chunker, SizesStayInTheirBoundsAndGatherAroundTheAverage) {
  const auto file = random_bytes(128 * kMebibyte, 3);
  const auto lengths = cut_all(file, keys().gear(), SizeClass::small, 2);
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), size_t{0}), file.size());
  const ChunkSizes sizes = chunk_sizes(SizeClass::small);
  for (size_t i = 0; i + 1 < lengths.size(); ++i) {
    ASSERT_GT(lengths[i], sizes.least);
    ASSERT_LE(lengths[i], sizes.most);
  }
  const size_t mean = file.size() / lengths.size();
  EXPECT_GT(mean, sizes.average * 8 / 10);
  EXPECT_LT(mean, sizes.average * 15 / 10);
}

// What rsync's users fear of fixed blocks: one byte in the middle moves all that follows.
TEST(Chunker, OneByteInsertedChangesAtMostThreeChunks) {
  const auto file = random_bytes(256 * kMebibyte, 11);
  const auto before = pieces(file, cut_all(file, keys().gear(), SizeClass::medium, 2));
  for (const size_t at : {file.size() / 2, file.size() / 3, size_t{1}}) {
    std::vector<std::byte> changed = file;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), std::byte{42});
    const auto after = pieces(changed, cut_all(changed, keys().gear(), SizeClass::medium, 2));
    EXPECT_LE(not_in(after, before), 3u) << at;
  }
}

TEST(Chunker, AClassIsLeftWhenTheSizeHasDoubledPastItsBound) {
  constexpr uint64_t kMedium = 32 << 20;
  constexpr uint64_t kLarge = 1 << 30;
  EXPECT_EQ(size_class_of(kMedium - 1), SizeClass::small);
  EXPECT_EQ(size_class_of(kMedium), SizeClass::medium);
  EXPECT_EQ(size_class_of(kLarge), SizeClass::large);
  EXPECT_EQ(size_class_of(2 * kMedium - 1, SizeClass::small), SizeClass::small);
  EXPECT_EQ(size_class_of(2 * kMedium, SizeClass::small), SizeClass::medium);
  EXPECT_EQ(size_class_of(5 * kLarge, SizeClass::small), SizeClass::large);
  EXPECT_EQ(size_class_of(2 * kLarge - 1, SizeClass::medium), SizeClass::medium);
  EXPECT_EQ(size_class_of(kMedium / 2, SizeClass::medium), SizeClass::medium);
  EXPECT_EQ(size_class_of(kMedium / 2 - 1, SizeClass::medium), SizeClass::small);
  EXPECT_EQ(size_class_of(0, SizeClass::large), SizeClass::small);
}

TEST(LeafHash, EveryWayIsOpensslBitForBit) {
  std::vector<HashWay> ways = {HashWay::one};
  if (cpu_has_sha_instructions()) ways.push_back(HashWay::two);
  if (hash_way() == HashWay::sixteen) ways.push_back(HashWay::sixteen);
  fairwire::Rng rng(3);
  const auto pool = random_bytes(20'000, 9);
  for (int round = 0; round < 300; ++round) {
    // Of one length, of lengths around a block's end, of any.
    std::vector<std::span<const std::byte>> messages;
    std::vector<Digest> wanted;
    for (size_t i = 0; i < 40; ++i) {
      size_t size = static_cast<size_t>(round);
      if (round % 3 == 1) size = 50 + rng.below(30);
      if (round % 3 == 2) size = rng.below(9000);
      messages.push_back(std::span(pool).subspan(rng.below(10'000), size));
      Sha256 hash;
      hash.update(messages.back());
      wanted.push_back(hash.finish());
    }
    for (const HashWay way : ways) {
      for (const size_t count :
           {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{16}, size_t{40}}) {
        std::vector<Digest> digests(count);
        sha256_each(std::span(messages).first(count), digests, way);
        ASSERT_TRUE(std::equal(digests.begin(), digests.end(), wanted.begin()))
            << "round " << round << ", " << count << " messages, way " << static_cast<int>(way);
      }
    }
  }
  if (ways.size() < 3) GTEST_SKIP() << "this CPU has not all of the ways; those it has were tried";
}

TEST(LeafHash, LeavesAreThoseOfTheFormat) {
  for (const size_t size :
       {size_t{0}, size_t{1}, kLeafBytes, kLeafBytes + 1, 5 * kLeafBytes, 6 * kLeafBytes + 77}) {
    const auto bytes = random_bytes(size, 1);
    const auto leaves = leaf_digests(bytes);
    ASSERT_EQ(leaves.size(), (size + kLeafBytes - 1) / kLeafBytes);
    for (size_t i = 0; i < leaves.size(); ++i) {
      const size_t from = i * kLeafBytes;
      Sha256 hash;
      hash.update(std::span(bytes).subspan(from, std::min(kLeafBytes, size - from)));
      EXPECT_EQ(leaves[i], hash.finish()) << size << " " << i;
    }
  }
}

}  // namespace
}  // namespace fairsync
