// SHA-256 of leaves, several at a time: sixteen in the lanes of AVX-512, or two by the SHA
// instructions of x86, or one by OpenSSL, whichever this CPU has. The digests are the same, bit for
// bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/floor.h"

namespace fairsync {

constexpr size_t kLeafBytes = 64 << 10;

enum class HashWay : uint8_t { one, two, sixteen };

/// The fastest that this CPU has.
HashWay hash_way();

/// The digest of each message; a lane that is done with one takes the next. A way that this CPU has
/// not is not asked for.
void sha256_each(std::span<const std::span<const std::byte>> messages, std::span<Digest> digests,
                 HashWay way = hash_way());

/// For each chunk one digest for each 64 KiB of it, the last of what is left; none for no bytes.
/// All chunks together fill the lanes better than one after the other.
std::vector<std::vector<Digest>> leaf_digests(std::span<const std::span<const std::byte>> chunks);
std::vector<Digest> leaf_digests(std::span<const std::byte> chunk);

}  // namespace fairsync
