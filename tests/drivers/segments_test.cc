#include "drivers/wires/segments.h"

#include <gtest/gtest.h>

#include "tests/drivers/super_packet.h"

namespace fairwire {
namespace {

constexpr uint16_t kSegment = 1448;

unsigned field(std::span<const std::byte> bytes, size_t at, int width) {
  unsigned value = 0;
  for (int i = 0; i < width; ++i) {
    value = value << 8 | std::to_integer<unsigned>(bytes[at + static_cast<size_t>(i)]);
  }
  return value;
}

VirtioNetHeader virtio_of(std::span<const std::byte> bytes) {
  VirtioNetHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

// Everything the receiving kernel looks at in the chunk that holds [first, first + count).
void expect_sound(const std::vector<std::byte>& chunk, const PacketShape& whole, Flow flow,
                  int first, int count) {
  const size_t ip = kVirtioHeader;
  const size_t transport = ip + ip_header_bytes(flow);
  const size_t ip_bytes = chunk.size() - kVirtioHeader;
  const bool last = first + count == whole.segments;
  if (is_ipv6(flow)) {
    EXPECT_EQ(field(chunk, ip + 4, 2), ip_bytes - 40);
  } else {
    EXPECT_EQ(field(chunk, ip + 2, 2), ip_bytes);
    EXPECT_EQ(field(chunk, ip + 4, 2), (0xfffe + static_cast<unsigned>(first)) & 0xffff);
    EXPECT_EQ(ones_complement_sum(std::span(chunk).subspan(ip, 20)), 0xffff);
  }
  const size_t checksum = transport + (is_tcp(flow) ? 16 : 6);
  Bytes copy(0);
  copy.raw() = chunk;
  EXPECT_EQ(field(chunk, checksum, 2), pseudo_sum(copy, chunk, flow)) << "partial checksum";
  const VirtioNetHeader virtio = virtio_of(chunk);
  EXPECT_EQ(virtio.flags, kVirtioNeedsChecksum);
  EXPECT_EQ(virtio.header_bytes, all_header_bytes(flow));
  EXPECT_EQ(virtio.gso_size, count == 1 ? 0 : kSegment);
  EXPECT_EQ(virtio.gso_type == kGsoNone, count == 1);
  EXPECT_EQ((virtio.gso_type & kGsoEcn) != 0, is_tcp(flow) && first == 0 && count > 1);
  if (!is_tcp(flow)) {
    EXPECT_EQ(field(chunk, transport + 4, 2), ip_bytes - ip_header_bytes(flow));
    return;
  }
  EXPECT_EQ(field(chunk, transport + 4, 4), 0xfffffff0 + static_cast<unsigned>(first) * kSegment);
  const unsigned flags = field(chunk, transport + 13, 1);
  EXPECT_EQ(flags & 0x80, first == 0 ? 0x80u : 0u) << "CWR on the first only";
  EXPECT_EQ(flags & 0x09, last ? 0x09u : 0u) << "PSH and FIN on the last only";
  EXPECT_EQ(flags & 0x10, 0x10u);
}

class SegmentsTest : public testing::TestWithParam<Flow> {};

TEST_P(SegmentsTest, CutAndJoinedAgainAreTheSameBytes) {
  const Flow flow = GetParam();
  for (const size_t payload : {1449u, 2896u, 20'000u, 65'000u}) {
    const auto bytes = make_super_packet(flow, payload, kSegment);
    const PacketRef packet = packet_of(bytes);
    ASSERT_TRUE(packet);
    const int segments = static_cast<int>((payload + kSegment - 1) / kSegment);
    ASSERT_EQ(packet->shape.segments, segments);
    for (const int step : {1, 2, 3, 7}) {
      std::vector<std::byte> again;
      int64_t ip_bytes = 0;
      for (int first = 0; first < segments; first += step) {
        const int count = std::min(step, segments - first);
        CutChunk cut;
        cut_chunk(*packet, first, count, cut);
        const auto chunk = joined(cut);
        if (count < segments) expect_sound(chunk, packet->shape, flow, first, count);
        const size_t headers = kVirtioHeader + all_header_bytes(flow);
        again.insert(again.end(), chunk.begin() + static_cast<ptrdiff_t>(headers), chunk.end());
        for (int i = first; i < first + count; ++i) ip_bytes += packet->shape.segment_bytes(i);
      }
      const size_t headers = kVirtioHeader + all_header_bytes(flow);
      EXPECT_TRUE(std::equal(again.begin(), again.end(),
                             bytes.begin() + static_cast<ptrdiff_t>(headers), bytes.end()));
      EXPECT_EQ(ip_bytes, static_cast<int64_t>(payload) +
                              segments * static_cast<int64_t>(all_header_bytes(flow)));
    }
  }
}

TEST_P(SegmentsTest, WholePacketsPassUntouched) {
  for (const uint16_t segment : {uint16_t{0}, kSegment}) {
    const size_t payload = segment == 0 ? 1400 : 9000;
    const auto bytes = make_super_packet(GetParam(), payload, segment);
    const PacketRef packet = packet_of(bytes);
    ASSERT_TRUE(packet);
    CutChunk cut;
    cut_chunk(*packet, 0, packet->shape.segments, cut);
    EXPECT_EQ(cut.header_size, 0u);
    EXPECT_EQ(joined(cut), bytes);
  }
}

TEST_P(SegmentsTest, WithoutOffloadItIsOneSegment) {
  const auto bytes = make_super_packet(GetParam(), 1400, 0);
  const auto shape = parse_packet(bytes);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->segments, 1);
  EXPECT_EQ(shape->segment_bytes(0), static_cast<int>(bytes.size() - kVirtioHeader));
  IpAddress to = ipv4_address(10, 77, 0, 2);
  if (is_ipv6(GetParam())) {
    to = {};
    to[0] = std::byte{0xfd};
    to[1] = std::byte{0x77};
    to[15] = std::byte{2};
  }
  EXPECT_EQ(shape->destination, to);
}

INSTANTIATE_TEST_SUITE_P(Flows, SegmentsTest,
                         testing::Values(Flow::tcp4, Flow::tcp6, Flow::udp4, Flow::udp6));

TEST(Segments, LiesAreRefused) {
  const auto good = make_super_packet(Flow::tcp4, 9000, kSegment);
  ASSERT_TRUE(parse_packet(good));
  const auto refused = [&](size_t at, uint8_t value) {
    auto bytes = good;
    bytes[at] = std::byte{value};
    return !parse_packet(bytes);
  };
  EXPECT_TRUE(refused(0, 0)) << "a super-packet needs its checksum finished";
  EXPECT_TRUE(refused(1, 77)) << "unknown kind of super-packet";
  EXPECT_TRUE(refused(1, kGsoTcp6)) << "IPv4 as IPv6";
  EXPECT_TRUE(refused(6, 99)) << "transport header elsewhere";
  EXPECT_TRUE(refused(10, 0x4f)) << "IP options that are not there";
  EXPECT_TRUE(refused(10, 0x50)) << "IP version 5";
  EXPECT_TRUE(refused(19, 17)) << "UDP as TCP";
  EXPECT_TRUE(refused(42, 0x10)) << "TCP header of 4 bytes";
  for (size_t size = 0; size < kVirtioHeader + 53; ++size) {
    EXPECT_FALSE(parse_packet(std::span(good).first(size))) << size;
  }
  EXPECT_FALSE(parse_packet(std::vector<std::byte>(70'000)));
}

}  // namespace
}  // namespace fairwire
