#include "reference/hkdf.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace fairsync {
namespace {

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

OSSL_PARAM octets(const char* name, std::span<const uint8_t> bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

Key256 hkdf(std::span<const uint8_t> secret, std::span<const uint8_t> salt, std::string_view info) {
  const std::unique_ptr<EVP_KDF, FreeKdf> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, FreeKdf> context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  if (!context) throw std::bad_alloc();
  std::string digest = "SHA256";
  const std::span purpose(reinterpret_cast<const uint8_t*>(info.data()), info.size());
  std::vector<OSSL_PARAM> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      octets(OSSL_KDF_PARAM_KEY, secret), octets(OSSL_KDF_PARAM_INFO, purpose)};
  if (!salt.empty()) parameters.push_back(octets(OSSL_KDF_PARAM_SALT, salt));
  parameters.push_back(OSSL_PARAM_construct_end());
  Key256 key;
  if (EVP_KDF_derive(context.get(), key.data(), key.size(), parameters.data()) != 1) {
    throw std::runtime_error("HKDF-SHA256 is not there");
  }
  return key;
}

}  // namespace fairsync
