#include "reference/keys.h"

#include <stdexcept>

#include "reference/floor.h"
#include "reference/hkdf.h"

namespace fairsync {
namespace {

constexpr size_t kShortest = 16;
constexpr size_t kLongest = 4096;

}  // namespace

PresharedKey derive_key(std::string_view content) {
  std::string_view digits = content;
  if (digits.size() == 65 && digits.back() == '\n') digits.remove_suffix(1);
  std::string secret(content);
  if (const auto bytes = fairwire::digest_from_hex(digits)) {
    secret.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  if (secret.size() < kShortest) throw std::invalid_argument("a key has at least 16 bytes");
  const std::span bytes(reinterpret_cast<const uint8_t*>(secret.data()), secret.size());
  return hkdf(bytes, {}, "fairsync 0 tls 1.3 psk");
}

PresharedKey load_key(const std::string& path) {
  try {
    return derive_key(fairwire::read_file(path, kLongest));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
}

}  // namespace fairsync
