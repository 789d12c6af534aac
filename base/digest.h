// SHA-256, by OpenSSL only (the judge must not share a hand-made hash with the judged).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fairwire {

using Digest = std::array<uint8_t, 32>;

/// Streaming SHA-256. After finish() the object is ready for the next message.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes) { update(std::as_bytes(std::span(bytes))); }
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Digest sha256(std::string_view bytes);

/// 64 lower-case hex digits.
std::string to_hex(const Digest& digest);
/// nullopt unless `hex` is exactly 64 hex digits (either case).
std::optional<Digest> digest_from_hex(std::string_view hex);

}  // namespace fairwire
