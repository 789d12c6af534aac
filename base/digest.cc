#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <new>

namespace fairwire {

namespace {

// Without the host's openssl.cnf: it may name modules, which a static binary must not load, and
// the judge's hash is to be the same everywhere.
EVP_MD* fetch_sha256() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  return EVP_MD_fetch(nullptr, "SHA256", nullptr);
}

}  // namespace

struct Sha256::Context {
  EVP_MD* algorithm = fetch_sha256();
  EVP_MD_CTX* state = EVP_MD_CTX_new();

  Context() {
    if (algorithm == nullptr || state == nullptr) throw std::bad_alloc();
    start();
  }
  ~Context() {
    EVP_MD_CTX_free(state);
    EVP_MD_free(algorithm);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void start() {
    if (EVP_DigestInit_ex2(state, algorithm, nullptr) != 1) throw std::bad_alloc();
  }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(context_->state, bytes.data(), bytes.size());
}

Digest Sha256::finish() {
  Digest digest;
  EVP_DigestFinal_ex(context_->state, digest.data(), nullptr);
  context_->start();
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string to_hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::optional<Digest> digest_from_hex(std::string_view hex) {
  Digest digest;
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  const auto value = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  for (size_t i = 0; i < digest.size(); ++i) {
    const int high = value(hex[2 * i]);
    const int low = value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<uint8_t>(16 * high + low);
  }
  return digest;
}

}  // namespace fairwire
