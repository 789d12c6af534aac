#include "base/rng.h"

#include <bit>
#include <cassert>
#include <cstring>

namespace fairwire {

__extension__ using Uint128 = unsigned __int128;

static_assert(std::endian::native == std::endian::little, "fill() copies words as they lie");

uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t derive_seed(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  uint64_t state = seed ^ hash;
  return splitmix64(state);
}

Rng::Rng(uint64_t seed) {
  for (uint64_t& word : state_) word = splitmix64(seed);
}

uint64_t Rng::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Rng::below(uint64_t bound) {
  assert(bound > 0);
  Uint128 product = static_cast<Uint128>(next()) * bound;
  if (static_cast<uint64_t>(product) < bound) {  // only then is the division worth its price
    const uint64_t reject_below = -bound % bound;
    while (static_cast<uint64_t>(product) < reject_below) {
      product = static_cast<Uint128>(next()) * bound;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

void Rng::fill(std::span<std::byte> bytes) {
  size_t done = 0;
  for (; done + 8 <= bytes.size(); done += 8) {
    const uint64_t word = next();
    std::memcpy(bytes.data() + done, &word, 8);
  }
  if (done < bytes.size()) {
    const uint64_t word = next();
    std::memcpy(bytes.data() + done, &word, bytes.size() - done);
  }
}

}  // namespace fairwire
