#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/digest.h"

namespace fairwire {
namespace {

struct Vector {
  std::string message;
  std::string hex;
};

// FIPS 180-2, appendix B, and the empty message.
const Vector kVectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {std::string(1'000'000, 'a'),
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};

TEST(Sha256, GivesThePublishedDigests) {
  for (const Vector& vector : kVectors) EXPECT_EQ(to_hex(sha256(vector.message)), vector.hex);
}

TEST(Sha256, PiecesAndReuseChangeNothing) {
  Sha256 hash;
  for (const Vector& vector : kVectors) {
    for (size_t at = 0; at < vector.message.size(); at += 97) {
      hash.update(std::string_view(vector.message).substr(at, 97));
    }
    Sha256 moved = std::move(hash);
    EXPECT_EQ(to_hex(moved.finish()), vector.hex);
    hash = std::move(moved);
  }
}

TEST(DigestHex, AcceptsExactly64Digits) {
  const std::string hex = kVectors[1].hex;
  EXPECT_EQ(digest_from_hex(hex), sha256("abc"));
  std::string upper = hex;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(digest_from_hex(upper), sha256("abc"));
  EXPECT_FALSE(digest_from_hex(hex.substr(1)));
  EXPECT_FALSE(digest_from_hex(hex + "0"));
  EXPECT_FALSE(digest_from_hex("g" + hex.substr(1)));
  EXPECT_FALSE(digest_from_hex(""));
}

}  // namespace
}  // namespace fairwire
