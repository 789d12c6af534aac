#include "drivers/wires/segments.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace fairwire {
namespace {

constexpr int kIpv4Header = 20;
constexpr int kIpv6Header = 40;
constexpr int kUdpHeader = 8;
constexpr int kTcpHeader = 20;
constexpr int kTcpFlags = 13;
constexpr uint8_t kTcpFin = 0x01;
constexpr uint8_t kTcpPush = 0x08;
constexpr uint8_t kTcpCwr = 0x80;
constexpr uint8_t kProtocolTcp = 6;
constexpr uint8_t kProtocolUdp = 17;

uint8_t byte_at(std::span<const std::byte> bytes, int offset) {
  return std::to_integer<uint8_t>(bytes[static_cast<size_t>(offset)]);
}

uint16_t get16(const std::byte* from) {
  return static_cast<uint16_t>(std::to_integer<unsigned>(from[0]) << 8 |
                               std::to_integer<unsigned>(from[1]));
}

void put16(std::byte* to, unsigned value) {
  to[0] = static_cast<std::byte>(value >> 8 & 0xff);
  to[1] = static_cast<std::byte>(value & 0xff);
}

void add32(std::byte* to, uint32_t value) {
  const uint32_t sum = (uint32_t{get16(to)} << 16 | get16(to + 2)) + value;
  put16(to, sum >> 16);
  put16(to + 2, sum & 0xffff);
}

void clear_bits(std::byte& byte, uint8_t bits) {
  byte &= ~static_cast<std::byte>(bits);
}

VirtioNetHeader virtio_header(std::span<const std::byte> packet) {
  VirtioNetHeader header;
  std::memcpy(&header, packet.data(), sizeof header);
  return header;
}

// Version, destination and length of the IP header; 0 when there is none.
int parse_ip(std::span<const std::byte> ip, PacketShape& shape) {
  if (ip.empty()) return 0;
  const int version = byte_at(ip, 0) >> 4;
  if (version == 4 && ip.size() >= kIpv4Header) {
    shape.destination =
        ipv4_address(byte_at(ip, 16), byte_at(ip, 17), byte_at(ip, 18), byte_at(ip, 19));
    const int length = (byte_at(ip, 0) & 15) * 4;
    return length >= kIpv4Header && static_cast<size_t>(length) <= ip.size() ? length : 0;
  }
  if (version == 6 && ip.size() >= kIpv6Header) {
    shape.ipv6 = true;
    std::copy_n(ip.begin() + 24, 16, shape.destination.begin());
    return kIpv6Header;
  }
  return 0;
}

// False also when IPv6 extension headers stand between: such super-packets are not cut.
bool carries(std::span<const std::byte> ip, bool ipv6, uint8_t protocol) {
  return byte_at(ip, ipv6 ? 6 : 9) == protocol;
}

bool parse_segments(std::span<const std::byte> ip, const VirtioNetHeader& virtio, int ip_header,
                    PacketShape& shape) {
  const int type = virtio.gso_type & ~kGsoEcn;
  shape.tcp = type == kGsoTcp4 || type == kGsoTcp6;
  if (!shape.tcp && type != kGsoUdp) return false;
  if (shape.tcp && (type == kGsoTcp6) != shape.ipv6) return false;
  if (!carries(ip, shape.ipv6, shape.tcp ? kProtocolTcp : kProtocolUdp)) return false;
  if ((virtio.flags & kVirtioNeedsChecksum) == 0 || virtio.gso_size == 0) return false;
  if (virtio.checksum_start != ip_header) return false;
  const int size = static_cast<int>(ip.size());
  if (size < ip_header + (shape.tcp ? kTcpHeader : kUdpHeader)) return false;
  const int transport = shape.tcp ? (byte_at(ip, ip_header + 12) >> 4) * 4 : kUdpHeader;
  if (shape.tcp && transport < kTcpHeader) return false;
  const int payload = size - ip_header - transport;
  if (payload <= 0) return false;
  shape.transport_start = ip_header;
  shape.header_bytes = ip_header + transport;
  shape.segment_payload = virtio.gso_size;
  shape.segments = (payload + virtio.gso_size - 1) / virtio.gso_size;
  return true;
}

void mend_ip(std::byte* ip, const PacketShape& shape, int first, int payload) {
  if (shape.ipv6) {
    put16(ip + 4, static_cast<unsigned>(shape.header_bytes - kIpv6Header + payload));
    return;
  }
  put16(ip + 2, static_cast<unsigned>(shape.header_bytes + payload));
  put16(ip + 4, static_cast<unsigned>(get16(ip + 4) + first));
  put16(ip + 10, 0);
  const auto header = std::span(ip, static_cast<size_t>(shape.transport_start));
  put16(ip + 10, static_cast<uint16_t>(~ones_complement_sum(header)));
}

// Sum over the pseudo header: what the receiver's checksum completion expects in the field.
void mend_partial_checksum(std::byte* ip, const PacketShape& shape, int transport_bytes) {
  const auto addresses = shape.ipv6 ? std::span(ip + 8, 32) : std::span(ip + 12, 8);
  const uint32_t rest = (shape.tcp ? kProtocolTcp : kProtocolUdp) + uint32_t(transport_bytes);
  put16(ip + shape.transport_start + (shape.tcp ? 16 : 6), ones_complement_sum(addresses, rest));
}

void mend_transport(std::byte* ip, const PacketShape& shape, int first, bool has_last,
                    int payload) {
  std::byte* transport = ip + shape.transport_start;
  const int transport_bytes = shape.header_bytes - shape.transport_start + payload;
  if (shape.tcp) {
    add32(transport + 4, uint32_t(first) * uint32_t(shape.segment_payload));
    if (!has_last) clear_bits(transport[kTcpFlags], kTcpFin | kTcpPush);
    if (first > 0) clear_bits(transport[kTcpFlags], kTcpCwr);
  } else {
    put16(transport + 4, static_cast<unsigned>(transport_bytes));
  }
  mend_partial_checksum(ip, shape, transport_bytes);
}

void mend_virtio(std::byte* to, const PacketShape& shape, int first, int count) {
  VirtioNetHeader virtio;
  std::memcpy(&virtio, to, sizeof virtio);
  virtio.header_bytes = static_cast<uint16_t>(shape.header_bytes);
  if (first > 0) virtio.gso_type &= static_cast<uint8_t>(~kGsoEcn);
  if (count == 1) {
    virtio.gso_type = kGsoNone;
    virtio.gso_size = 0;
  }
  std::memcpy(to, &virtio, sizeof virtio);
}

}  // namespace

IpAddress ipv4_address(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
  IpAddress address{};
  address[10] = address[11] = std::byte{0xff};
  address[12] = std::byte{a};
  address[13] = std::byte{b};
  address[14] = std::byte{c};
  address[15] = std::byte{d};
  return address;
}

uint16_t ones_complement_sum(std::span<const std::byte> bytes, uint32_t sum) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) sum += get16(bytes.data() + i);
  if (bytes.size() % 2 == 1) sum += std::to_integer<uint32_t>(bytes.back()) << 8;
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

int PacketShape::segment_bytes(int index) const {
  if (header_bytes == 0) return ip_bytes;
  const int before = index * segment_payload;
  return header_bytes + std::min(segment_payload, ip_bytes - header_bytes - before);
}

std::optional<PacketShape> parse_packet(std::span<const std::byte> packet) {
  if (packet.size() <= kVirtioHeader || packet.size() > kMostPacketBytes) return std::nullopt;
  const VirtioNetHeader virtio = virtio_header(packet);
  const auto ip = packet.subspan(kVirtioHeader);
  PacketShape shape;
  shape.ip_bytes = static_cast<int>(ip.size());
  const int ip_header = parse_ip(ip, shape);
  if (ip_header == 0) return std::nullopt;
  if (virtio.gso_type == kGsoNone) return shape;
  if (!parse_segments(ip, virtio, ip_header, shape)) return std::nullopt;
  return shape;
}

void cut_chunk(const Packet& packet, int first, int count, CutChunk& chunk) {
  const PacketShape& shape = packet.shape;
  assert(first >= 0 && count >= 1 && first + count <= shape.segments);
  if (count == shape.segments && (count > 1 || shape.header_bytes == 0)) {
    chunk.header_size = 0;
    chunk.payload = packet.bytes();
    return;
  }
  const int start = first * shape.segment_payload;
  const int whole = shape.ip_bytes - shape.header_bytes;
  const int end = std::min(whole, start + count * shape.segment_payload);
  chunk.header_size = kVirtioHeader + static_cast<size_t>(shape.header_bytes);
  std::copy_n(packet.storage.get(), chunk.header_size, chunk.header_storage.begin());
  chunk.payload = packet.bytes().subspan(chunk.header_size + static_cast<size_t>(start),
                                         static_cast<size_t>(end - start));
  std::byte* ip = chunk.header_storage.data() + kVirtioHeader;
  mend_virtio(chunk.header_storage.data(), shape, first, count);
  mend_ip(ip, shape, first, end - start);
  mend_transport(ip, shape, first, end == whole, end - start);
}

}  // namespace fairwire
