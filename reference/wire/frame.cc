#include "reference/wire/frame.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fairsync {
namespace {

bool is_known(uint8_t type) {
  return (type >= uint8_t(FrameType::hello) && type <= uint8_t(FrameType::bye)) ||
         type == uint8_t(FrameType::bundle) || type == uint8_t(FrameType::piece);
}

uint64_t load(Bytes bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

}  // namespace

FrameHeader read_frame_header(std::span<const std::byte, kFrameHeader> bytes, size_t limit) {
  const uint64_t length = load(bytes.first<4>());
  const auto type = static_cast<uint8_t>(bytes[4]);
  if (!is_known(type)) throw ProtocolError("unknown frame type " + std::to_string(type));
  if (length > limit) {
    throw ProtocolError("a frame of " + std::to_string(length) + " bytes where at most " +
                        std::to_string(limit) + " are allowed");
  }
  return {static_cast<uint32_t>(length), static_cast<FrameType>(type)};
}

Bytes PayloadReader::bytes(size_t count) {
  if (count > rest_.size()) throw ProtocolError("a message is cut short");
  const Bytes taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::string_view PayloadReader::text(size_t count) {
  const Bytes taken = bytes(count);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

Digest PayloadReader::digest() {
  Digest digest;
  std::memcpy(digest.data(), bytes(digest.size()).data(), digest.size());
  return digest;
}

Bytes PayloadReader::rest() {
  return bytes(rest_.size());
}

void PayloadReader::expect_end() const {
  if (!rest_.empty()) throw ProtocolError("a message is longer than its content");
}

uint64_t PayloadReader::integer(size_t count) {
  return load(bytes(count));
}

void FrameBuilder::begin(FrameType type) {
  start_ = used_;
  u32(0);
  u8(static_cast<uint8_t>(type));
}

void FrameBuilder::end() {
  put_u32_at(start_, static_cast<uint32_t>(used_ - start_ - kFrameHeader));
}

std::span<std::byte> FrameBuilder::room(size_t count) {
  if (used_ + count > buffer_.size()) buffer_.resize(std::max(2 * buffer_.size(), used_ + count));
  const std::span<std::byte> place(buffer_.data() + used_, count);
  used_ += count;
  return place;
}

void FrameBuilder::put_u32_at(size_t place, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) buffer_[place + i] = static_cast<std::byte>(value >> (8 * i));
}

void FrameBuilder::put_digest_at(size_t place, const Digest& digest) {
  std::memcpy(buffer_.data() + place, digest.data(), digest.size());
}

void FrameBuilder::integer(uint64_t value, size_t count) {
  const std::span<std::byte> place = room(count);
  for (size_t i = 0; i < count; ++i) place[i] = static_cast<std::byte>(value >> (8 * i));
}

void FrameBuilder::bytes(Bytes bytes) {
  const std::span<std::byte> place = room(bytes.size());
  if (!bytes.empty()) std::memcpy(place.data(), bytes.data(), bytes.size());
}

void FrameBuilder::text(std::string_view text) {
  bytes(std::as_bytes(std::span(text)));
}

void FrameBuilder::digest(const Digest& digest) {
  bytes(std::as_bytes(std::span(digest)));
}

}  // namespace fairsync
