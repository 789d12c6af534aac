// HKDF-SHA256 (RFC 5869): every key of fairsync is derived from a secret by its purpose.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace fairsync {

using Key256 = std::array<uint8_t, 32>;

/// Throws std::runtime_error where OpenSSL has no HKDF. No salt: RFC 5869's zeros.
Key256 hkdf(std::span<const uint8_t> secret, std::span<const uint8_t> salt, std::string_view info);

}  // namespace fairsync
