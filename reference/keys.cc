#include "reference/keys.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "reference/floor.h"

namespace fairsync {
namespace {

constexpr size_t kShortest = 16;
constexpr size_t kLongest = 4096;

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

PresharedKey hkdf(std::string secret, std::string info) {
  const std::unique_ptr<EVP_KDF, FreeKdf> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, FreeKdf> context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  if (!context) throw std::bad_alloc();
  std::string digest = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  PresharedKey key;
  if (EVP_KDF_derive(context.get(), key.data(), key.size(), parameters) != 1) {
    throw std::runtime_error("HKDF-SHA256 is not there");
  }
  return key;
}

}  // namespace

PresharedKey derive_key(std::string_view content) {
  std::string_view digits = content;
  if (digits.size() == 65 && digits.back() == '\n') digits.remove_suffix(1);
  std::string secret(content);
  if (const auto bytes = fairwire::digest_from_hex(digits)) {
    secret.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  if (secret.size() < kShortest) throw std::invalid_argument("a key has at least 16 bytes");
  return hkdf(secret, "fairsync 0 tls 1.3 psk");
}

PresharedKey load_key(const std::string& path) {
  try {
    return derive_key(fairwire::read_file(path, kLongest));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
}

}  // namespace fairsync
