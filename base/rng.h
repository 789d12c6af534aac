// Seeded randomness that is the same on every machine: splitmix64 to spread a seed,
// xoshiro256** (Blackman and Vigna, 2018) to draw, our own bounded draws. No std:: distributions
// and no floating point, because their results differ between libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fairwire {

/// One step of splitmix64: advances `state`, returns the next output.
uint64_t splitmix64(uint64_t& state);

/// A seed for a named part of something seeded: same (seed, name), same result.
uint64_t derive_seed(uint64_t seed, std::string_view name);

class Rng {
 public:
  explicit Rng(uint64_t seed);
  /// From a whole state, not all zero.
  explicit Rng(const std::array<uint64_t, 4>& state) : state_(state) {}

  uint64_t next();
  /// Uniform in [0, bound), exactly, by Lemire's multiply-and-reject (2019). Needs bound > 0.
  uint64_t below(uint64_t bound);
  /// Fills with the little-endian bytes of successive next(); a tail takes the low bytes.
  void fill(std::span<std::byte> bytes);

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace fairwire
