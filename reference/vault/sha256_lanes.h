// The compression function of SHA-256 (FIPS 180-4, 6.2.2) on several independent messages at once:
// one message has to wait for its own results all the time, and others fill the wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fairsync {

using Sha256State = std::array<uint32_t, 8>;

constexpr Sha256State kSha256Start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// What the CPU has, not what the compiler was told.
bool cpu_has_sha_instructions();
bool cpu_has_wide_vectors();  ///< AVX-512: F, BW

constexpr size_t kWideLanes = 16;

/// Two messages by the SHA instructions of x86; only where there are any. `blocks` blocks of 64
/// bytes from each pointer.
void compress_two(std::array<Sha256State, 2>& states, const std::array<const std::byte*, 2>& from,
                  size_t blocks);
/// Sixteen messages in the lanes of AVX-512; only where there is.
void compress_sixteen(std::array<Sha256State, kWideLanes>& states,
                      const std::array<const std::byte*, kWideLanes>& from, size_t blocks);

}  // namespace fairsync
