// The frame codec of docs/protocol.md: [u32 length][u8 type][payload], little-endian.
// Invariant: a reader never looks past its payload and a payload is consumed exactly; a length is
// checked against the caller's limit before anything is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/floor.h"

namespace fairsync {

using Bytes = std::span<const std::byte>;

inline constexpr size_t kFrameHeader = 5;
inline constexpr size_t kOpeningLimit = size_t{64} << 10;  ///< payload before a session is open
inline constexpr size_t kControlLimit = size_t{1} << 20;
inline constexpr size_t kDataLimit = size_t{4} << 20;

enum class FrameType : uint8_t {
  hello = 1,
  open = 2,
  join = 3,
  accept = 4,
  error = 5,
  ping = 6,
  list = 7,
  list_end = 8,
  want = 9,
  same = 10,
  credit = 11,
  file_end = 12,
  file_dropped = 13,
  file_failed = 14,
  done = 15,
  bye = 16,
  bundle = 32,
  piece = 33,
};

struct FrameHeader {
  uint32_t length = 0;
  FrameType type = FrameType::ping;
};

/// Throws ProtocolError for a length above `limit` and for an unknown type.
FrameHeader read_frame_header(std::span<const std::byte, kFrameHeader> bytes, size_t limit);

/// Reads the values of one payload. Every read throws ProtocolError when it is too short.
class PayloadReader {
 public:
  explicit PayloadReader(Bytes payload) : rest_(payload) {}

  uint8_t u8() { return static_cast<uint8_t>(integer(1)); }
  uint16_t u16() { return static_cast<uint16_t>(integer(2)); }
  uint32_t u32() { return static_cast<uint32_t>(integer(4)); }
  uint64_t u64() { return integer(8); }
  int64_t i64() { return static_cast<int64_t>(integer(8)); }
  Digest digest();
  Bytes bytes(size_t count);
  std::string_view text(size_t count);
  Bytes rest();  ///< all that is left
  size_t left() const { return rest_.size(); }
  void expect_end() const;  ///< Throws ProtocolError when bytes are left.

 private:
  uint64_t integer(size_t count);

  Bytes rest_;
};

/// Builds frames, one behind the other, in a buffer that is kept from use to use.
class FrameBuilder {
 public:
  void clear() { used_ = 0; }
  void begin(FrameType type);
  void u8(uint8_t value) { integer(value, 1); }
  void u16(uint16_t value) { integer(value, 2); }
  void u32(uint32_t value) { integer(value, 4); }
  void u64(uint64_t value) { integer(value, 8); }
  void i64(int64_t value) { integer(static_cast<uint64_t>(value), 8); }
  void digest(const Digest& digest);
  void bytes(Bytes bytes);
  void text(std::string_view text);
  /// Room for `count` bytes that the caller fills, valid until the next call.
  std::span<std::byte> room(size_t count);
  void put_u32_at(size_t place, uint32_t value);  ///< over bytes written before
  void put_digest_at(size_t place, const Digest& digest);
  void end();  ///< writes the length of the frame

  size_t size() const { return used_; }
  Bytes view() const { return Bytes(buffer_.data(), used_); }

 private:
  void integer(uint64_t value, size_t count);

  std::vector<std::byte> buffer_;  // grows only: filling megabytes with zeros costs
  size_t used_ = 0;
  size_t start_ = 0;  // of the frame being built
};

}  // namespace fairsync
