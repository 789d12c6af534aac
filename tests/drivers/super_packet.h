// Packets as a TUN would give them, made for tests: a super-packet of a flow with its partial
// checksum, and the same seen as the receiver would, one IP packet a segment.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "drivers/wires/segments.h"

namespace fairwire {

enum class Flow { tcp4, tcp6, udp4, udp6 };

inline bool is_tcp(Flow flow) {
  return flow == Flow::tcp4 || flow == Flow::tcp6;
}
inline bool is_ipv6(Flow flow) {
  return flow == Flow::tcp6 || flow == Flow::udp6;
}

class Bytes {
 public:
  explicit Bytes(size_t size) : bytes_(size) {}
  void put(size_t at, unsigned value, int width) {
    for (int i = 0; i < width; ++i) {
      bytes_[at + static_cast<size_t>(i)] =
          static_cast<std::byte>(value >> (8 * (width - 1 - i)) & 0xff);
    }
  }
  unsigned get(size_t at, int width) const {
    unsigned value = 0;
    for (int i = 0; i < width; ++i) {
      value = value << 8 | std::to_integer<unsigned>(bytes_[at + static_cast<size_t>(i)]);
    }
    return value;
  }
  std::vector<std::byte>& raw() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// IP packet sizes: 20 or 40 + 32 (TCP with time stamps) or 8 (UDP).
inline size_t ip_header_bytes(Flow flow) {
  return is_ipv6(flow) ? 40 : 20;
}
inline size_t all_header_bytes(Flow flow) {
  return ip_header_bytes(flow) + (is_tcp(flow) ? 32 : 8);
}

inline void put_ip_header(Bytes& bytes, Flow flow, size_t ip_bytes) {
  const size_t ip = kVirtioHeader;
  const unsigned protocol = is_tcp(flow) ? 6 : 17;
  if (is_ipv6(flow)) {
    bytes.put(ip, 0x60000000, 4);
    bytes.put(ip + 4, static_cast<unsigned>(ip_bytes - 40), 2);
    bytes.put(ip + 6, protocol << 8 | 64, 2);
    bytes.put(ip + 8, 0xfd77, 2);
    bytes.put(ip + 22, 1, 2);
    bytes.put(ip + 24, 0xfd77, 2);
    bytes.put(ip + 38, 2, 2);
    return;
  }
  bytes.put(ip, 0x45000000 | static_cast<unsigned>(ip_bytes), 4);
  bytes.put(ip + 4, 0xfffe4000, 4);  // identification wraps within the packet; do not fragment
  bytes.put(ip + 8, 64 << 8 | protocol, 2);
  bytes.put(ip + 12, 0x0a4d0001, 4);
  bytes.put(ip + 16, 0x0a4d0002, 4);
  const auto header = std::span(bytes.raw()).subspan(ip, 20);
  bytes.put(ip + 10, static_cast<uint16_t>(~ones_complement_sum(header)), 2);
}

inline uint16_t pseudo_sum(const Bytes& bytes, std::span<const std::byte> packet, Flow flow) {
  const size_t ip = kVirtioHeader;
  const auto addresses = is_ipv6(flow) ? packet.subspan(ip + 8, 32) : packet.subspan(ip + 12, 8);
  const unsigned length = is_ipv6(flow) ? bytes.get(ip + 4, 2) : bytes.get(ip + 2, 2) - 20;
  return ones_complement_sum(addresses, (is_tcp(flow) ? 6 : 17) + length);
}

/// CWR, PSH and FIN are set; payload byte i is i * 7 + i / 256. `segment` 0: no offload at all.
inline std::vector<std::byte> make_super_packet(Flow flow, size_t payload, uint16_t segment) {
  const size_t headers = all_header_bytes(flow);
  Bytes bytes(kVirtioHeader + headers + payload);
  put_ip_header(bytes, flow, headers + payload);
  const size_t transport = kVirtioHeader + ip_header_bytes(flow);
  bytes.put(transport, 0x1a0a1a0b, 4);
  if (is_tcp(flow)) {
    bytes.put(transport + 4, 0xfffffff0, 4);  // the sequence number wraps
    bytes.put(transport + 12, 0x8099, 2);     // 32 bytes; CWR, ACK, PSH, FIN
  } else {
    bytes.put(transport + 4, static_cast<unsigned>(8 + payload), 2);
  }
  for (size_t i = 0; i < payload; ++i) {
    bytes.put(kVirtioHeader + headers + i, static_cast<unsigned>(i * 7 + i / 256) & 0xff, 1);
  }
  const auto offset = static_cast<uint16_t>(is_tcp(flow) ? 16 : 6);
  bytes.put(transport + offset, pseudo_sum(bytes, bytes.raw(), flow), 2);
  VirtioNetHeader virtio;
  if (segment > 0) {
    virtio.flags = kVirtioNeedsChecksum;
    virtio.gso_type = is_tcp(flow) ? (is_ipv6(flow) ? kGsoTcp6 : kGsoTcp4) | kGsoEcn : kGsoUdp;
    virtio.gso_size = segment;
    virtio.header_bytes = static_cast<uint16_t>(headers);
    virtio.checksum_start = static_cast<uint16_t>(ip_header_bytes(flow));
    virtio.checksum_offset = offset;
  } else {  // finish the checksum
    const auto rest = std::span(bytes.raw()).subspan(transport);
    bytes.put(transport + offset, static_cast<uint16_t>(~ones_complement_sum(rest)), 2);
  }
  std::memcpy(bytes.raw().data(), &virtio, sizeof virtio);
  return bytes.raw();
}

inline PacketRef packet_of(const std::vector<std::byte>& bytes) {
  auto packet = std::make_shared<Packet>();
  packet->size = bytes.size();
  packet->storage = std::make_unique<std::byte[]>(bytes.size());
  std::memcpy(packet->storage.get(), bytes.data(), bytes.size());
  const auto shape = parse_packet(bytes);
  if (!shape) return nullptr;
  packet->shape = *shape;
  return packet;
}

inline std::vector<std::byte> joined(const CutChunk& chunk) {
  std::vector<std::byte> bytes(chunk.header().begin(), chunk.header().end());
  bytes.insert(bytes.end(), chunk.payload.begin(), chunk.payload.end());
  return bytes;
}

}  // namespace fairwire
