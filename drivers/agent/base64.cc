#include <array>
#include <cstdint>

#include "drivers/agent/agent_protocol.h"

namespace fairwire {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 0xff;

constexpr std::array<uint8_t, 256> values() {
  std::array<uint8_t, 256> table{};
  table.fill(kNone);
  for (uint8_t i = 0; i < 64; ++i) table[static_cast<unsigned char>(kAlphabet[i])] = i;
  return table;
}

constexpr std::array<uint8_t, 256> kValues = values();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    text += kAlphabet[bits >> 18];
    text += kAlphabet[bits >> 12 & 63];
    text += count > 1 ? kAlphabet[bits >> 6 & 63] : '=';
    text += count > 2 ? kAlphabet[bits & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t pad = i + 4 == text.size() ? padding : 0;
    uint32_t bits = 0;
    for (size_t j = 0; j < 4; ++j) {
      const uint8_t value = j < 4 - pad ? kValues[static_cast<unsigned char>(text[i + j])] : 0;
      if (value == kNone) return std::nullopt;
      bits = bits << 6 | value;
    }
    if ((bits & (pad == 2 ? 0xffffu : pad == 1 ? 0xffu : 0u)) != 0) return std::nullopt;
    for (size_t j = 0; j < 3 - pad; ++j) bytes += static_cast<char>(bits >> (16 - 8 * j) & 0xff);
  }
  return bytes;
}

}  // namespace fairwire
