#include "reference/vault/sha256_lanes.h"

#include "reference/vault/sha256_rounds.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

namespace fairsync {
namespace {

constexpr int kGroups = 16;  // of four rounds each
constexpr unsigned kShaBit = 1u << 29;
constexpr unsigned kSsse3Bit = 1u << 9;
constexpr unsigned kSse41Bit = 1u << 19;

// The instructions want the state as (A, B, E, F) and (C, D, G, H), from the highest word down.
struct Lane {
  __m128i abef;
  __m128i cdgh;
};

Lane load_state(const Sha256State& state) {
  const auto word = [&](int i) { return static_cast<int>(state[static_cast<size_t>(i)]); };
  return {_mm_set_epi32(word(0), word(1), word(4), word(5)),
          _mm_set_epi32(word(2), word(3), word(6), word(7))};
}

void store_state(const Lane& lane, Sha256State& state) {
  alignas(16) uint32_t high[4];
  alignas(16) uint32_t low[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(high), lane.abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(low), lane.cdgh);
  state = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
}

#define FAIRSYNC_SHA __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline

// Four words of the message as numbers: their bytes come with the highest first.
FAIRSYNC_SHA __m128i load_words(const std::byte* from) {
  const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), swap);
}

// W[t] … W[t+3] from the sixteen words before, oldest first.
FAIRSYNC_SHA __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  return _mm_sha256msg2_epu32(partial, w3);
}

FAIRSYNC_SHA void four_rounds(Lane& lane, __m128i words, __m128i constants) {
  const __m128i sum = _mm_add_epi32(words, constants);
  lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, sum);
  lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

}  // namespace

bool cpu_has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & kShaBit) == 0) return false;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  return (c & kSsse3Bit) != 0 && (c & kSse41Bit) != 0;
}

__attribute__((target("sha,sse4.1,ssse3"))) void compress_two(
    std::array<Sha256State, 2>& states, const std::array<const std::byte*, 2>& from,
    size_t blocks) {
  Lane a = load_state(states[0]);
  Lane b = load_state(states[1]);
  for (size_t at = 0; at < blocks * 64; at += 64) {
    const Lane a_before = a;
    const Lane b_before = b;
    __m128i x[4];
    __m128i y[4];
#pragma GCC unroll 16
    for (int group = 0; group < kGroups; ++group) {
      const __m128i constants =
          _mm_load_si128(reinterpret_cast<const __m128i*>(&kSha256Rounds[4 * group]));
      const int slot = group % 4;
      if (group < 4) {
        x[slot] = load_words(from[0] + at + 16 * group);
        y[slot] = load_words(from[1] + at + 16 * group);
      } else {
        x[slot] = next_words(x[slot], x[(slot + 1) % 4], x[(slot + 2) % 4], x[(slot + 3) % 4]);
        y[slot] = next_words(y[slot], y[(slot + 1) % 4], y[(slot + 2) % 4], y[(slot + 3) % 4]);
      }
      four_rounds(a, x[slot], constants);
      four_rounds(b, y[slot], constants);
    }
    a.abef = _mm_add_epi32(a.abef, a_before.abef);
    a.cdgh = _mm_add_epi32(a.cdgh, a_before.cdgh);
    b.abef = _mm_add_epi32(b.abef, b_before.abef);
    b.cdgh = _mm_add_epi32(b.cdgh, b_before.cdgh);
  }
  store_state(a, states[0]);
  store_state(b, states[1]);
}

#undef FAIRSYNC_SHA

}  // namespace fairsync

#else

#include <cstdlib>

namespace fairsync {

bool cpu_has_sha_instructions() {
  return false;
}

// Callers ask first.
void compress_two(std::array<Sha256State, 2>&, const std::array<const std::byte*, 2>&, size_t) {
  std::abort();
}

}  // namespace fairsync

#endif
