#include "reference/vault/sha256_lanes.h"
#include "reference/vault/sha256_rounds.h"

#if defined(__x86_64__)

// GCC 12 takes the deliberately undefined operands of its own intrinsics for a mistake (GCC bug
// 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <cpuid.h>
#include <immintrin.h>

#define FAIRSYNC_WIDE __attribute__((target("avx512f,avx512bw"), always_inline)) inline

namespace fairsync {
namespace {

// Feature bits of CPUID leaf 7, subleaf 0 (b), and of XCR0: the system keeps what AVX-512 uses.
constexpr unsigned kAvx512F = 1u << 16;
constexpr unsigned kAvx512Bw = 1u << 30;
constexpr unsigned kOsxsave = 1u << 27;
constexpr unsigned kWideState = 0xe6;

// Three-way logic by its truth table: bit 4x + 2y + z of the constant.
constexpr int kXor = 0x96;
constexpr int kChoose = 0xca;
constexpr int kMajority = 0xe8;

FAIRSYNC_WIDE __m512i big_sigma0(__m512i x) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, 2), _mm512_ror_epi32(x, 13),
                                   _mm512_ror_epi32(x, 22), kXor);
}
FAIRSYNC_WIDE __m512i big_sigma1(__m512i x) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, 6), _mm512_ror_epi32(x, 11),
                                   _mm512_ror_epi32(x, 25), kXor);
}
FAIRSYNC_WIDE __m512i small_sigma0(__m512i x) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, 7), _mm512_ror_epi32(x, 18),
                                   _mm512_srli_epi32(x, 3), kXor);
}
FAIRSYNC_WIDE __m512i small_sigma1(__m512i x) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(x, 17), _mm512_ror_epi32(x, 19),
                                   _mm512_srli_epi32(x, 10), kXor);
}

// Rows to columns: from sixteen lanes of one message each to sixteen words of all messages.
FAIRSYNC_WIDE void transpose(__m512i (&rows)[16]) {
  __m512i pairs[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {  // words 0 1 | 2 3 of two rows, in every 128 bits
    pairs[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
  }
  __m512i quads[16];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // one word of four rows
    quads[4 * i] = _mm512_unpacklo_epi64(pairs[4 * i], pairs[4 * i + 2]);
    quads[4 * i + 1] = _mm512_unpackhi_epi64(pairs[4 * i], pairs[4 * i + 2]);
    quads[4 * i + 2] = _mm512_unpacklo_epi64(pairs[4 * i + 1], pairs[4 * i + 3]);
    quads[4 * i + 3] = _mm512_unpackhi_epi64(pairs[4 * i + 1], pairs[4 * i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // the 128-bit parts of four quads, themselves transposed
    const __m512i low = _mm512_shuffle_i32x4(quads[i], quads[4 + i], 0x44);
    const __m512i high = _mm512_shuffle_i32x4(quads[i], quads[4 + i], 0xee);
    const __m512i next_low = _mm512_shuffle_i32x4(quads[8 + i], quads[12 + i], 0x44);
    const __m512i next_high = _mm512_shuffle_i32x4(quads[8 + i], quads[12 + i], 0xee);
    rows[i] = _mm512_shuffle_i32x4(low, next_low, 0x88);
    rows[4 + i] = _mm512_shuffle_i32x4(low, next_low, 0xdd);
    rows[8 + i] = _mm512_shuffle_i32x4(high, next_high, 0x88);
    rows[12 + i] = _mm512_shuffle_i32x4(high, next_high, 0xdd);
  }
}

}  // namespace

bool cpu_has_wide_vectors() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsxsave) == 0) return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & kWideState) != kWideState) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  return (b & kAvx512F) != 0 && (b & kAvx512Bw) != 0;
}

__attribute__((target("avx512f,avx512bw"))) void compress_sixteen(
    std::array<Sha256State, kWideLanes>& states,
    const std::array<const std::byte*, kWideLanes>& from, size_t blocks) {
  const __m512i swap =
      _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  alignas(64) uint32_t columns[8][kWideLanes];
  for (size_t lane = 0; lane < kWideLanes; ++lane) {
    for (size_t i = 0; i < 8; ++i) columns[i][lane] = states[lane][i];
  }
  __m512i state[8];
  for (int i = 0; i < 8; ++i) state[i] = _mm512_load_si512(columns[i]);
  for (size_t at = 0; at < blocks * 64; at += 64) {
    __m512i words[16];
#pragma GCC unroll 16
    for (size_t lane = 0; lane < kWideLanes; ++lane) {
      words[lane] = _mm512_loadu_si512(from[lane] + at);
    }
    transpose(words);
#pragma GCC unroll 16
    for (__m512i& word : words) word = _mm512_shuffle_epi8(word, swap);
    __m512i a = state[0], b = state[1], c = state[2], d = state[3];
    __m512i e = state[4], f = state[5], g = state[6], h = state[7];
#pragma GCC unroll 64
    for (int round = 0; round < 64; ++round) {
      const int slot = round % 16;
      if (round >= 16) {
        const __m512i grown = _mm512_add_epi32(words[slot], small_sigma0(words[(slot + 1) % 16]));
        words[slot] = _mm512_add_epi32(_mm512_add_epi32(grown, words[(slot + 9) % 16]),
                                       small_sigma1(words[(slot + 14) % 16]));
      }
      const __m512i constant = _mm512_set1_epi32(static_cast<int>(kSha256Rounds[round]));
      const __m512i chosen = _mm512_ternarylogic_epi32(e, f, g, kChoose);
      const __m512i first =
          _mm512_add_epi32(_mm512_add_epi32(h, _mm512_add_epi32(constant, words[slot])),
                           _mm512_add_epi32(big_sigma1(e), chosen));
      const __m512i second =
          _mm512_add_epi32(big_sigma0(a), _mm512_ternarylogic_epi32(a, b, c, kMajority));
      h = g;
      g = f;
      f = e;
      e = _mm512_add_epi32(d, first);
      d = c;
      c = b;
      b = a;
      a = _mm512_add_epi32(first, second);
    }
    const __m512i after[8] = {a, b, c, d, e, f, g, h};
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) state[i] = _mm512_add_epi32(state[i], after[i]);
  }
  for (int i = 0; i < 8; ++i) _mm512_store_si512(columns[i], state[i]);
  for (size_t lane = 0; lane < kWideLanes; ++lane) {
    for (size_t i = 0; i < 8; ++i) states[lane][i] = columns[i][lane];
  }
}

}  // namespace fairsync

#undef FAIRSYNC_WIDE

#else

#include <cstdlib>

namespace fairsync {

bool cpu_has_wide_vectors() {
  return false;
}

void compress_sixteen(std::array<Sha256State, kWideLanes>&,
                      const std::array<const std::byte*, kWideLanes>&, size_t) {
  std::abort();  // callers ask first
}

}  // namespace fairsync

#endif
