#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "base/rng.h"

namespace fairwire {
namespace {

// The published first outputs of splitmix64 from the state 1234567.
TEST(Splitmix, GivesThePublishedNumbers) {
  uint64_t state = 1234567;
  for (const uint64_t wanted : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(splitmix64(state), wanted);
  }
}

// What data sets are made of: a change here changes every published digest.
TEST(Rng, NeverChanges) {
  Rng rng(1);
  EXPECT_EQ(rng.next(), 12966619160104079557u);
  EXPECT_EQ(rng.next(), 9600361134598540522u);
  EXPECT_EQ(rng.next(), 10590380919521690900u);
  EXPECT_EQ(derive_seed(1, "sizes of group 0"), derive_seed(1, "sizes of group 0"));
  EXPECT_NE(derive_seed(1, "a"), derive_seed(2, "a"));
  EXPECT_NE(derive_seed(1, "a"), derive_seed(1, "b"));
}

TEST(Rng, StaysBelowItsBound) {
  Rng rng(7);
  for (const uint64_t bound : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{1000},
                               (uint64_t{1} << 63) + 1, ~uint64_t{0}}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(rng.below(bound), bound);
  }
}

TEST(Rng, DrawsEvenly) {
  Rng rng(42);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);  // over five sigma
}

// Bounds just above 2^63 reject nearly half of all draws: the loop must still be exact.
TEST(Rng, RejectsWithoutBias) {
  Rng rng(3);
  const uint64_t bound = (uint64_t{1} << 63) + 1;
  int low = 0;
  for (int i = 0; i < 20'000; ++i) low += rng.below(bound) < bound / 2;
  EXPECT_NEAR(low, 10'000, 400);
}

TEST(Rng, FillsEveryLengthWithTheSamePrefix) {
  std::vector<std::byte> whole(64);
  Rng(9).fill(whole);
  for (size_t length = 0; length <= whole.size(); ++length) {
    std::vector<std::byte> part(length + 1, std::byte{0xaa});
    Rng(9).fill(std::span(part).first(length));
    EXPECT_EQ(std::memcmp(part.data(), whole.data(), length), 0) << length;
    EXPECT_EQ(part.back(), std::byte{0xaa}) << length;
  }
  uint64_t first = 0;
  std::memcpy(&first, whole.data(), sizeof first);
  EXPECT_EQ(first, Rng(9).next());
}

}  // namespace
}  // namespace fairwire
