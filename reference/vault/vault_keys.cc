#include "reference/vault/vault_keys.h"

#include <openssl/hmac.h>
#include <sys/random.h>

#include <cstring>

#include "reference/vault/leaf_hash.h"

namespace fairsync {
namespace {

template <typename Bytes>
Bytes random_bytes() {
  Bytes bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw_system_error("get random bytes");
  }
  return bytes;
}

}  // namespace

VaultKeys::VaultKeys(const Key256& vault_key)
    : gear_(gear_table(hkdf(vault_key, {}, "fairsync 1 gear"))),
      id_(hkdf(vault_key, {}, "fairsync 1 chunk id")),
      packs_(hkdf(vault_key, {}, "fairsync 1 packs")) {}

ChunkId VaultKeys::chunk_id(uint64_t length, std::span<const Digest> leaves) const {
  std::vector<uint8_t> message(8 + leaves.size() * sizeof(Digest));
  for (size_t i = 0; i < 8; ++i) message[i] = static_cast<uint8_t>(length >> (8 * i));
  if (!leaves.empty()) std::memcpy(message.data() + 8, leaves.data(), leaves.size_bytes());
  ChunkId id;
  ::HMAC(EVP_sha256(), id_.data(), static_cast<int>(id_.size()), message.data(), message.size(),
         id.data(), nullptr);
  return id;
}

ChunkId VaultKeys::chunk_id(std::span<const std::byte> chunk) const {
  return chunk_id(chunk.size(), leaf_digests(chunk));
}

std::vector<ChunkId> VaultKeys::chunk_ids(
    std::span<const std::span<const std::byte>> chunks) const {
  const auto leaves = leaf_digests(chunks);
  std::vector<ChunkId> ids;
  ids.reserve(chunks.size());
  for (size_t i = 0; i < chunks.size(); ++i) ids.push_back(chunk_id(chunks[i].size(), leaves[i]));
  return ids;
}

Key256 VaultKeys::pack_key(const PackName& name) const {
  return hkdf(packs_, name, "fairsync 1 pack");
}

Key256 random_key() {
  return random_bytes<Key256>();
}

PackName random_pack_name() {
  return random_bytes<PackName>();
}

std::string to_text(const PackName& name) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : name) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace fairsync
