// A vault whose key is known: that of the vectors of docs/protocol.md.
#pragma once

#include <numeric>
#include <vector>

#include "base/rng.h"
#include "reference/vault/vault_keys.h"

namespace fairsync::testing_vault {

inline const VaultKeys& keys() {
  static const VaultKeys made = [] {
    Key256 key;
    std::iota(key.begin(), key.end(), uint8_t{0});
    return VaultKeys(key);
  }();
  return made;
}

inline std::vector<std::byte> random_bytes(size_t size, uint64_t seed) {
  std::vector<std::byte> bytes(size);
  fairwire::Rng(seed).fill(bytes);
  return bytes;
}

}  // namespace fairsync::testing_vault
