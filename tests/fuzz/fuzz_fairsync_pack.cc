// What a store can hand back: a trailer, an index and a block, the latter two sealed first with the
// right key, so that what stands behind the seal is fuzzed, too. Nothing may crash or decode beyond
// its bound.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reference/floor.h"
#include "reference/vault/pack.h"

namespace fairsync {
namespace {

const VaultKeys& keys() {
  static const VaultKeys made(Key256{1});
  return made;
}

void try_index(std::span<const std::byte> bytes) {
  const PackName name{};
  Sealer sealer;
  sealer.set_key(keys().pack_key(name));
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  sealed.resize(sealed.size() + kTagBytes);
  constexpr uint8_t kAbout[] = {'i', 'n', 'd', 'e', 'x'};
  sealer.seal(UINT64_MAX, kAbout, sealed);
  uint64_t object = kPackHeader + sealed.size() + kPackTrailer;
  if (bytes.size() >= 8) object += std::to_integer<uint64_t>(bytes[bytes.size() - 8]);
  for (const PackEntry& entry : PackReader(keys(), name).index(sealed, object)) {
    if (entry.offset + entry.stored > object || entry.size > kMostChunk) std::abort();
  }
}

void try_block(std::span<const std::byte> bytes) {
  static BlockCodec codec;
  static std::vector<std::byte> chunk;
  codec.decode(bytes, chunk);
  if (chunk.size() > kMostChunk) std::abort();
}

void try_trailer(std::span<const std::byte> bytes) {
  if (bytes.size() < 12) return;
  uint64_t object = 0;
  std::memcpy(&object, bytes.data(), sizeof object);
  const size_t length = PackReader::index_length(bytes.subspan(8, 4), object);
  if (length > object) std::abort();
}

}  // namespace
}  // namespace fairsync

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (bytes.empty()) return 0;
  try {
    switch (std::to_integer<int>(bytes[0]) % 3) {
      case 0:
        fairsync::try_index(bytes.subspan(1));
        break;
      case 1:
        fairsync::try_block(bytes.subspan(1));
        break;
      default:
        fairsync::try_trailer(bytes.subspan(1));
    }
  } catch (const fairsync::ProtocolError&) {
    // refused, as it should be
  }
  return 0;
}
