// AES-256-GCM with numbers for nonces: a key that seals one object, and each number in it once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "reference/hkdf.h"

struct evp_cipher_ctx_st;

namespace fairsync {

constexpr size_t kTagBytes = 16;

/// One for each thread: it has a context that is used again and again.
class Sealer {
 public:
  Sealer();
  ~Sealer();
  Sealer(Sealer&&) noexcept;
  Sealer& operator=(Sealer&&) noexcept;

  void set_key(const Key256& key);
  /// In place: `bytes` ends with room for the tag. `about` is authenticated, not stored.
  void seal(uint64_t number, std::span<const uint8_t> about, std::span<std::byte> bytes);
  /// In place; false when it is not what was sealed. What `bytes` then holds is nothing.
  [[nodiscard]] bool open(uint64_t number, std::span<const uint8_t> about,
                          std::span<std::byte> bytes);

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  std::unique_ptr<evp_cipher_ctx_st, Free> sealing_;
  std::unique_ptr<evp_cipher_ctx_st, Free> opening_;
};

}  // namespace fairsync
