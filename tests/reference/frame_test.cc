// The codec against the vectors of docs/protocol.md, and what it must refuse.
#include "reference/wire/frame.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/wire/messages.h"

namespace fairsync {
namespace {

std::string hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[uint8_t(byte) >> 4];
    text += kDigits[uint8_t(byte) & 15];
  }
  return text;
}

Bytes payload_of(const FrameBuilder& frame) {
  return frame.view().subspan(kFrameHeader);
}

Entry file_entry(std::string name) {
  return {EntryKind::file, {0644, -1, 500'000'000}, 5, std::move(name), ""};
}

List list_of(std::string name) {
  List list;
  list.last = true;
  list.entries.push_back(file_entry(std::move(name)));
  return list;
}

TEST(FrameTest, WritesTheVectors) {
  FrameBuilder out;
  put_empty(out, FrameType::ping);
  EXPECT_EQ(hex(out.view()), "0000000006");
  out.clear();
  put_hello(out);
  EXPECT_EQ(hex(out.view()), "0a000000016661697273796e630000");
  out.clear();
  put_credit(out, 4'194'304);
  EXPECT_EQ(hex(out.view()), "080000000b0000400000000000");
  out.clear();
  put_same(out, {1, 258});
  EXPECT_EQ(hex(out.view()), "0c0000000a020000000100000002010000");
  out.clear();
  put_file_dropped(out, {7, 1});
  EXPECT_EQ(hex(out.view()), "050000000d0700000001");
  out.clear();
  put_list(out, list_of("a"));
  EXPECT_EQ(hex(out.view()),
            "2500000007000000000101000000"
            "01a4010000ffffffffffffffff0065cd1d0500000000000000010061");
}

TEST(FrameTest, ReadsWhatItWrites) {
  FrameBuilder out;
  put_wants(out, {{1, std::nullopt}, {2, Held{77, Digest{1, 2, 3}}}});
  const std::vector<Want> wants = read_wants(payload_of(out));
  ASSERT_EQ(wants.size(), 2u);
  EXPECT_FALSE(wants[0].held);
  EXPECT_EQ(wants[1].held->size, 77u);
  EXPECT_EQ(wants[1].held->digest, (Digest{1, 2, 3}));
  out.clear();
  put_done(out, {1, 2, 3, 3, "words"});
  const Done done = read_done(payload_of(out));
  EXPECT_EQ(done.failed, 3u);
  EXPECT_EQ(done.text, "words");
}

TEST(FrameTest, RefusesOversizeBeforeAllocation) {
  const std::array<std::byte, kFrameHeader> huge = {
      std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{33}};
  EXPECT_THROW(read_frame_header(huge, kDataLimit), ProtocolError);
  const std::array<std::byte, kFrameHeader> unknown = {std::byte{0}, std::byte{0}, std::byte{0},
                                                       std::byte{0}, std::byte{99}};
  EXPECT_THROW(read_frame_header(unknown, kDataLimit), ProtocolError);
}

TEST(FrameTest, RefusesEveryCutAndEveryAddition) {
  FrameBuilder out;
  put_list(out, list_of("name"));
  const Bytes whole = payload_of(out);
  EXPECT_EQ(read_list(whole).entries[0].name, "name");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read_list(whole.first(length)), ProtocolError) << length;
  }
  std::vector<std::byte> longer(whole.begin(), whole.end());
  longer.push_back(std::byte{0});
  EXPECT_THROW(read_list(longer), ProtocolError);
}

TEST(FrameTest, RefusesCountsThatCannotBe) {
  FrameBuilder out;
  out.begin(FrameType::same);
  out.u32(0xffffffff);
  out.end();
  EXPECT_THROW(read_same(payload_of(out)), ProtocolError);
  EXPECT_THROW(read_bundle(payload_of(out)), ProtocolError);
  EXPECT_THROW(read_wants(payload_of(out)), ProtocolError);
}

TEST(NameTest, OnlyNamesOfOneEntry) {
  for (const std::string bad : {"", ".", "..", "a/b", "/", "/etc", "../x"}) {
    EXPECT_NE(name_fault(bad, 1), nullptr) << bad;
  }
  EXPECT_NE(name_fault(std::string_view("a\0b", 3), 1), nullptr);
  EXPECT_NE(name_fault(std::string(256, 'a'), 1), nullptr);
  EXPECT_NE(name_fault(kStagingName, kRootId), nullptr);
  for (const std::string good : {"...", "-rf", "\xff", "a\nb", " "}) {
    EXPECT_EQ(name_fault(good, 1), nullptr) << good;
  }
  EXPECT_EQ(name_fault(std::string(255, 'a'), 1), nullptr);
  EXPECT_EQ(name_fault(kStagingName, 1), nullptr);
}

TEST(PieceTest, MustFitItsFile) {
  const std::string content(1 << 20, 'x');
  const auto piece = [&](uint64_t size, uint64_t offset, size_t length) {
    FrameBuilder out;
    begin_piece(out, {1, 1, size, offset, {}, {}});
    out.text(std::string_view(content).substr(0, length));
    out.end();
    return read_piece(payload_of(out));
  };
  EXPECT_NO_THROW(piece((1 << 20) + 1, 0, 1 << 20));
  EXPECT_NO_THROW(piece((1 << 20) + 1, 1 << 20, 1));
  EXPECT_THROW(piece(1 << 20, 0, 1 << 20), ProtocolError) << "belongs into a bundle";
  EXPECT_THROW(piece((1 << 20) + 1, 0, (1 << 20) - 1), ProtocolError);
  EXPECT_THROW(piece((1 << 20) + 1, 1, 1 << 20), ProtocolError);
  EXPECT_THROW(piece((1 << 20) + 1, 2 << 20, 0), ProtocolError);
  EXPECT_THROW(piece(uint64_t{1} << 43, 0, 1 << 20), ProtocolError);
}

}  // namespace
}  // namespace fairsync
