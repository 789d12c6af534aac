#include "reference/vault/sealer.h"

#include <openssl/evp.h>

#include <array>
#include <new>
#include <stdexcept>

namespace fairsync {
namespace {

using Nonce = std::array<uint8_t, 12>;

Nonce nonce_of(uint64_t number) {
  Nonce nonce{};
  for (size_t i = 0; i < 8; ++i) nonce[i] = static_cast<uint8_t>(number >> (8 * i));
  return nonce;
}

void require(int result) {
  if (result != 1) throw std::runtime_error("AES-256-GCM failed in OpenSSL");
}

unsigned char* octets(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace

void Sealer::Free::operator()(evp_cipher_ctx_st* context) const {
  EVP_CIPHER_CTX_free(context);
}

Sealer::Sealer() : sealing_(EVP_CIPHER_CTX_new()), opening_(EVP_CIPHER_CTX_new()) {
  if (!sealing_ || !opening_) throw std::bad_alloc();
}
Sealer::~Sealer() = default;
Sealer::Sealer(Sealer&&) noexcept = default;
Sealer& Sealer::operator=(Sealer&&) noexcept = default;

void Sealer::set_key(const Key256& key) {
  require(EVP_EncryptInit_ex(sealing_.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr));
  require(EVP_DecryptInit_ex(opening_.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr));
}

void Sealer::seal(uint64_t number, std::span<const uint8_t> about, std::span<std::byte> bytes) {
  const Nonce nonce = nonce_of(number);
  const std::span<std::byte> text = bytes.first(bytes.size() - kTagBytes);
  int size = 0;
  evp_cipher_ctx_st* const context = sealing_.get();
  require(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()));
  require(EVP_EncryptUpdate(context, nullptr, &size, about.data(), static_cast<int>(about.size())));
  require(
      EVP_EncryptUpdate(context, octets(text), &size, octets(text), static_cast<int>(text.size())));
  require(EVP_EncryptFinal_ex(context, octets(text) + size, &size));
  require(
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, kTagBytes, octets(bytes.last(kTagBytes))));
}

bool Sealer::open(uint64_t number, std::span<const uint8_t> about, std::span<std::byte> bytes) {
  if (bytes.size() < kTagBytes) return false;
  const Nonce nonce = nonce_of(number);
  const std::span<std::byte> text = bytes.first(bytes.size() - kTagBytes);
  int size = 0;
  evp_cipher_ctx_st* const context = opening_.get();
  require(EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()));
  require(
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, kTagBytes, octets(bytes.last(kTagBytes))));
  require(EVP_DecryptUpdate(context, nullptr, &size, about.data(), static_cast<int>(about.size())));
  require(
      EVP_DecryptUpdate(context, octets(text), &size, octets(text), static_cast<int>(text.size())));
  return EVP_DecryptFinal_ex(context, octets(text) + size, &size) == 1;
}

}  // namespace fairsync
