// The key file and the pre-shared key that TLS takes from it (docs/protocol.md, Security).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairsync {

using PresharedKey = std::array<uint8_t, 32>;

/// Throws std::invalid_argument when `content` is shorter than 16 bytes.
PresharedKey derive_key(std::string_view content);

/// Of a file of 16 to 4096 bytes. Throws SystemError, std::invalid_argument.
PresharedKey load_key(const std::string& path);

}  // namespace fairsync
