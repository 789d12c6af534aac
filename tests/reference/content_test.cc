// Pieces at their bounds: no empty piece too much, no last one lost (0 bytes have none).
#include "reference/content.h"

#include <gtest/gtest.h>

namespace fairsync {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(PieceSizeTest, CountsAtTheBounds) {
  EXPECT_EQ(piece_count(0), 0u);
  EXPECT_EQ(piece_count(1), 1u);
  EXPECT_EQ(piece_count(kMiB - 1), 1u);
  EXPECT_EQ(piece_count(kMiB), 1u);
  EXPECT_EQ(piece_count(kMiB + 1), 2u);
  EXPECT_EQ(piece_count(kGiB - 1), 1024u);
  EXPECT_EQ(piece_count(kGiB), 256u);
  EXPECT_EQ(piece_count(kGiB + 1), 257u);
  EXPECT_EQ(piece_count(4 * kGiB - 1), 1024u);
  EXPECT_EQ(piece_count(4 * kGiB), 1024u);
  EXPECT_EQ(piece_count(4 * kGiB + 1), 1025u);
}

TEST(PieceSizeTest, LengthsAddUp) {
  for (const uint64_t size : {kMiB + 1, 5 * kMiB, kGiB - 1, kGiB, kGiB + 1, 4 * kGiB + 1}) {
    uint64_t sum = 0;
    for (uint64_t at = 0; at < size; at += piece_size(size)) sum += piece_length(size, at);
    EXPECT_EQ(sum, size);
  }
}

TEST(ContentDigestTest, OfOnePieceIsItsOwn) {
  const Digest one = digest_of({});
  EXPECT_EQ(fairwire::to_hex(one),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::vector<Digest> pieces = {one, one};
  EXPECT_EQ(digest_of_pieces(std::span(pieces).first(1)), one);
  EXPECT_NE(digest_of_pieces(pieces), one);
}

}  // namespace
}  // namespace fairsync
