// docs/protocol.md, "Blocks" and "Packs": what was put comes back, and nothing else does.
#include "reference/vault/pack.h"

#include <gtest/gtest.h>

#include "tests/reference/vault_for_tests.h"

namespace fairsync {
namespace {

using testing_vault::keys;
using testing_vault::random_bytes;

std::vector<std::byte> text_bytes(size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += "line " + std::to_string(i) + " of a log\n";
  const auto* from = reinterpret_cast<const std::byte*>(text.data());
  return {from, from + size};
}

std::string hex(const Digest& digest) {
  return fairwire::to_hex(digest);
}

// Of docs/protocol.md, computed there by other means (Python's hmac and hashlib).
TEST(VaultKeys, Vectors) {
  EXPECT_EQ(hex(keys().chunk_id({})),
            "0c04cafffde1e4c38926ebcf0e6933e50a343b820b235257a76447376b163eec");
  EXPECT_EQ(hex(keys().chunk_id(std::vector<std::byte>(100'000))),
            "7cd8925e9ba1f5fc4c1e3b7e2a508e93db81df0b6cf7aacbb31c32d4ff105dd2");
  EXPECT_EQ(hex(keys().pack_key(PackName{1, 2, 3})),
            "7875ad5a2302726e2dd52f7238d7f22ab1be544fcc6a0c74cfc62793c5313f4f");
  EXPECT_EQ(keys().gear()[0], 0x86822a8cb36d3d94u);
  EXPECT_EQ(keys().gear()[255], 0xcc2fd68defd74b45u);
}

TEST(VaultKeys, AnotherKeyOrLengthIsAnotherId) {
  const Key256 other{};
  const auto chunk = random_bytes(70'000, 1);
  EXPECT_NE(VaultKeys(other).chunk_id(chunk), keys().chunk_id(chunk));
  const Digest leaf{};
  EXPECT_NE(keys().chunk_id(1, std::span(&leaf, 1)), keys().chunk_id(2, std::span(&leaf, 1)));
}

TEST(Block, IsCompressedWhereThatSavesSomething) {
  BlockCodec codec;
  std::vector<std::byte> block;
  std::vector<std::byte> back;
  for (const auto& chunk : {random_bytes(300'000, 1), text_bytes(300'000), std::vector<std::byte>{},
                            random_bytes(1, 2), std::vector<std::byte>(kMostChunk)}) {
    for (const int level : {0, 1, 3, 19}) {
      if (level == 19 && chunk.size() > 1'000'000) continue;
      block.clear();
      codec.encode(chunk, level, block);
      EXPECT_LE(block.size(), chunk.size() + kBlockHeader);
      codec.decode(block, back);
      EXPECT_EQ(back, chunk);
    }
  }
  block.clear();
  codec.encode(text_bytes(300'000), 3, block);
  EXPECT_LT(block.size(), 60'000u);
  EXPECT_TRUE(codec.shrinks(text_bytes(300'000)));
  EXPECT_FALSE(codec.shrinks(random_bytes(300'000, 3)));
}

TEST(Block, LiesAreRefused) {
  BlockCodec codec;
  std::vector<std::byte> block;
  std::vector<std::byte> back;
  codec.encode(text_bytes(300'000), 3, block);
  const auto changed = [&](size_t at, uint8_t to) {
    std::vector<std::byte> copy = block;
    copy[at] = std::byte{to};
    return copy;
  };
  EXPECT_THROW(codec.decode({}, back), ProtocolError);
  EXPECT_THROW(codec.decode(std::span(block).first(4), back), ProtocolError);
  EXPECT_THROW(codec.decode(changed(0, 2), back), ProtocolError) << "codec";
  EXPECT_THROW(codec.decode(changed(0, 0), back), ProtocolError) << "not as it is";
  EXPECT_THROW(codec.decode(changed(1, 0), back), ProtocolError)
      << "a smaller size: a bomb stops there";
  EXPECT_THROW(codec.decode(changed(3, 200), back), ProtocolError) << "a larger size";
  EXPECT_THROW(codec.decode(changed(4, 2), back), ProtocolError) << "above 16 MiB";
  EXPECT_THROW(codec.decode(std::span(block).first(block.size() - 1), back), ProtocolError);
  EXPECT_THROW(codec.encode(std::vector<std::byte>(kMostChunk + 1), 0, block), std::length_error);
}

class PackTest : public testing::Test {
 protected:
  void SetUp() override {
    PackWriter writer(keys());
    for (const auto& chunk : chunks_) writer.add(keys().chunk_id(chunk), chunk, 3, codec_);
    name_ = writer.name();
    const auto object = writer.finish();
    object_.assign(object.begin(), object.end());
  }

  std::vector<PackEntry> read(std::vector<std::byte> object, const PackName& name) {
    const size_t length =
        PackReader::index_length(std::span(object).last(kPackTrailer), object.size());
    PackReader reader(keys(), name);
    return reader.index(std::span(object).subspan(object.size() - kPackTrailer - length, length),
                        object.size());
  }

  std::vector<std::byte> open(const PackEntry& entry, std::vector<std::byte> stored) {
    std::vector<std::byte> chunk;
    PackReader(keys(), name_).block(entry, stored, codec_, chunk);
    return chunk;
  }
  std::vector<std::byte> stored(const PackEntry& entry) const {
    const auto from = object_.begin() + static_cast<std::ptrdiff_t>(entry.offset);
    return {from, from + entry.stored};
  }

  std::vector<std::vector<std::byte>> chunks_ = {
      random_bytes(100'000, 1), text_bytes(400'000), {}, random_bytes(100'000, 2)};
  BlockCodec codec_;
  PackName name_{};
  std::vector<std::byte> object_;
};

TEST_F(PackTest, WhatWasPutComesBack) {
  const auto entries = read(object_, name_);
  ASSERT_EQ(entries.size(), chunks_.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].size, chunks_[i].size());
    EXPECT_EQ(open(entries[i], stored(entries[i])), chunks_[i]);
  }
}

TEST_F(PackTest, EveryBitIsGuarded) {
  for (size_t at = 0; at < object_.size(); at += at < 64 ? 1 : 997) {
    if (at < kPackHeader) continue;  // the name is told by the object's; it is looked at below
    std::vector<std::byte> bad = object_;
    bad[at] ^= std::byte{1};
    bool refused = false;
    try {
      for (const PackEntry& entry : read(bad, name_)) {
        const auto from = bad.begin() + static_cast<std::ptrdiff_t>(entry.offset);
        open(entry, {from, from + entry.stored});
      }
    } catch (const ProtocolError&) {
      refused = true;
    }
    EXPECT_TRUE(refused) << at;
  }
}

TEST_F(PackTest, SwappedCutAndForeignPacksAreRefused) {
  const auto entries = read(object_, name_);
  EXPECT_THROW(open(entries[0], stored(entries[3])), ProtocolError) << "another block of this pack";
  PackEntry wrong_number = entries[0];
  wrong_number.number = 3;
  EXPECT_THROW(open(wrong_number, stored(entries[0])), ProtocolError);
  EXPECT_THROW(read(object_, PackName{9}), ProtocolError) << "under another name";
  for (const size_t size :
       {size_t{0}, size_t{3}, kPackHeader, object_.size() - 1, object_.size() / 2}) {
    std::vector<std::byte> cut(object_.begin(),
                               object_.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(
        {
          if (cut.size() < kPackTrailer) PackReader::index_length({}, cut.size());
          read(cut, name_);
        },
        ProtocolError)
        << size;
  }
  std::vector<std::byte> longer = object_;
  longer.insert(longer.begin() + 100, std::byte{0});
  EXPECT_THROW(read(longer, name_), ProtocolError) << "bytes that no block explains";
  EXPECT_THROW(PackReader::index_length(std::span(object_).last(4), uint64_t{1} << 40),
               ProtocolError);
}

// Sealed by who has the key, and yet not what its id says.
TEST_F(PackTest, AChunkUnderAnotherIdIsRefused) {
  PackWriter writer(keys());
  writer.add(keys().chunk_id(chunks_[0]), chunks_[3], 0, codec_);
  const auto finished = writer.finish();
  std::vector<std::byte> object(finished.begin(), finished.end());
  const auto entries = read(object, writer.name());
  std::vector<std::byte> chunk;
  EXPECT_THROW(
      PackReader(keys(), writer.name())
          .block(entries[0], std::span(object).subspan(entries[0].offset, entries[0].stored),
                 codec_, chunk),
      ProtocolError);
}

TEST_F(PackTest, AWriterGoesOnInTheSameMemory) {
  PackWriter writer(keys());
  const auto chunk = random_bytes(4 << 20, 5);
  int blocks = 0;
  const PackName first = writer.name();
  for (; !writer.full(); ++blocks) writer.add(keys().chunk_id(chunk), chunk, 0, codec_);
  EXPECT_EQ(blocks, 4);
  writer.finish();
  writer.restart();
  EXPECT_NE(writer.name(), first);
  EXPECT_EQ(writer.blocks(), 0u);
}

}  // namespace
}  // namespace fairsync
