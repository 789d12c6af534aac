// Packets as a TUN device with IFF_VNET_HDR gives and takes them: a 10-byte virtio_net header, then
// an IPv4 or IPv6 packet, which may stand for many TCP or UDP segments of one flow (TSO, USO).
// Here it is parsed, and cut into chunks of neighbouring segments.
// Invariant: nothing a packet says of itself is believed beyond the bytes that are there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace fairwire {

/// The kernel's struct virtio_net_hdr (virtio 1.1, 5.1.6; native byte order on a TUN). Our own,
/// because linux/virtio_net.h of Debian 12 is not valid C++.
struct VirtioNetHeader {
  uint8_t flags = 0;
  uint8_t gso_type = 0;
  uint16_t header_bytes = 0;
  uint16_t gso_size = 0;  ///< payload of a segment
  uint16_t checksum_start = 0;
  uint16_t checksum_offset = 0;
};
constexpr size_t kVirtioHeader = 10;
static_assert(sizeof(VirtioNetHeader) == kVirtioHeader);
constexpr uint8_t kVirtioNeedsChecksum = 1;
constexpr uint8_t kGsoNone = 0;
constexpr uint8_t kGsoTcp4 = 1;
constexpr uint8_t kGsoTcp6 = 4;
constexpr uint8_t kGsoUdp = 5;
constexpr uint8_t kGsoEcn = 0x80;  ///< flag beside a TCP type: its first segment has CWR set

constexpr size_t kMostHeaderBytes = 120;  ///< IP and transport headers of a packet that is cut
constexpr size_t kMostPacketBytes = 65536 + kVirtioHeader;

using IpAddress = std::array<std::byte, 16>;  ///< IPv4 as ::ffff:a.b.c.d
IpAddress ipv4_address(uint8_t a, uint8_t b, uint8_t c, uint8_t d);

/// What a packet is to the wire.
struct PacketShape {
  IpAddress destination{};
  int segments = 1;
  int ip_bytes = 0;         ///< of the packet as it is
  int header_bytes = 0;     ///< IP and transport, repeated in each segment; 0: it is not cut
  int transport_start = 0;  ///< of the transport header within the IP packet
  int segment_payload = 0;  ///< of all but the last

  bool ipv6 = false;
  bool tcp = false;

  /// IP bytes of a segment.
  int segment_bytes(int index) const;
};

/// `packet` begins with its virtio_net header. nullopt when it is no IP packet, or claims to be
/// segments of what it does not hold.
std::optional<PacketShape> parse_packet(std::span<const std::byte> packet);

/// A packet that was read, shared by the chunks it is cut into.
struct Packet {
  std::unique_ptr<std::byte[]> storage;
  size_t size = 0;  ///< virtio_net header included
  PacketShape shape;

  std::span<const std::byte> bytes() const { return {storage.get(), size}; }
};
using PacketRef = std::shared_ptr<const Packet>;

/// What is to be written for a chunk: header, then payload.
struct CutChunk {
  std::array<std::byte, kVirtioHeader + kMostHeaderBytes> header_storage;
  size_t header_size = 0;  ///< 0 for a whole packet, which is all payload
  std::span<const std::byte> payload;

  std::span<const std::byte> header() const { return {header_storage.data(), header_size}; }
};
/// Segments [first, first + count) of the packet.
void cut_chunk(const Packet& packet, int first, int count, CutChunk& chunk);

/// The Internet checksum's sum over `bytes`, on top of `sum`, folded to 16 bits (RFC 1071).
uint16_t ones_complement_sum(std::span<const std::byte> bytes, uint32_t sum = 0);

}  // namespace fairwire
