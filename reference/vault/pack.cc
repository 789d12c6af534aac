#include "reference/vault/pack.h"

#include <cassert>
#include <cstring>
#include <string>

namespace fairsync {
namespace {

constexpr char kMagic[] = "fspack1\n";
constexpr uint64_t kIndexNumber = UINT64_MAX;
constexpr uint8_t kIndexAbout[] = {'i', 'n', 'd', 'e', 'x'};

template <typename Number>
void put_number(std::byte* to, Number number) {
  for (size_t i = 0; i < sizeof number; ++i) to[i] = static_cast<std::byte>(number >> (8 * i));
}

uint32_t get_u32(const std::byte* from) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number |= std::to_integer<uint32_t>(from[i]) << (8 * i);
  return number;
}

}  // namespace

PackWriter::PackWriter(const VaultKeys& keys) : keys_(keys) {
  object_.reserve(kPackBytes + kMostChunk + (1 << 20));
  restart();
}

void PackWriter::restart() {
  name_ = random_pack_name();
  sealer_.set_key(keys_.pack_key(name_));
  entries_.clear();
  object_.resize(kPackHeader);
  std::memcpy(object_.data(), kMagic, 8);
  std::memcpy(object_.data() + 8, name_.data(), name_.size());
}

void PackWriter::add(const ChunkId& id, std::span<const std::byte> chunk, int level,
                     BlockCodec& codec) {
  assert(!full());
  const size_t offset = object_.size();
  codec.encode(chunk, level, object_);
  object_.resize(object_.size() + kTagBytes);
  const uint64_t number = entries_.size();
  sealer_.seal(number, id, std::span(object_).subspan(offset));
  entries_.push_back({id, offset, static_cast<uint32_t>(object_.size() - offset),
                      static_cast<uint32_t>(chunk.size()), number});
}

std::span<const std::byte> PackWriter::finish() {
  const size_t start = object_.size();
  const size_t sealed = 4 + entries_.size() * kPackEntry + kTagBytes;
  object_.resize(start + sealed + kPackTrailer);
  std::byte* to = object_.data() + start;
  put_number(to, static_cast<uint32_t>(entries_.size()));
  to += 4;
  for (const PackEntry& entry : entries_) {
    std::memcpy(to, entry.id.data(), entry.id.size());
    put_number(to + 32, entry.stored);
    put_number(to + 36, entry.size);
    to += kPackEntry;
  }
  sealer_.seal(kIndexNumber, kIndexAbout, std::span(object_).subspan(start, sealed));
  put_number(object_.data() + start + sealed, static_cast<uint32_t>(sealed));
  return object_;
}

PackReader::PackReader(const VaultKeys& keys, const PackName& name) : keys_(keys), name_(name) {
  sealer_.set_key(keys.pack_key(name));
}

void PackReader::refuse(const std::string& what) const {
  throw ProtocolError("pack " + to_text(name_) + ": " + what);
}

size_t PackReader::index_length(std::span<const std::byte> trailer, uint64_t object_size) {
  constexpr size_t kLeast = 4 + kTagBytes;
  if (object_size > kMostPack) throw ProtocolError("a pack is longer than 48 MiB");
  if (trailer.size() != kPackTrailer || object_size < kPackHeader + kLeast + kPackTrailer) {
    throw ProtocolError("a pack is too short");
  }
  const size_t length = get_u32(trailer.data());
  if (length < kLeast || length > object_size - kPackHeader - kPackTrailer ||
      (length - kLeast) % kPackEntry != 0) {
    throw ProtocolError("a pack has no index of the length it says");
  }
  return length;
}

std::vector<PackEntry> PackReader::index(std::span<std::byte> sealed, uint64_t object_size) {
  if (!sealer_.open(kIndexNumber, kIndexAbout, sealed)) refuse("its index is not this vault's");
  const size_t count = get_u32(sealed.data());
  if (count > kMostPackEntries || 4 + count * kPackEntry + kTagBytes != sealed.size()) {
    refuse("its index has another length than it says");
  }
  std::vector<PackEntry> entries(count);
  uint64_t offset = kPackHeader;
  for (size_t i = 0; i < count; ++i) {
    const std::byte* from = sealed.data() + 4 + i * kPackEntry;
    PackEntry& entry = entries[i];
    std::memcpy(entry.id.data(), from, entry.id.size());
    entry.offset = offset;
    entry.stored = get_u32(from + 32);
    entry.size = get_u32(from + 36);
    entry.number = i;
    offset += entry.stored;
    // A block is compressed only where that makes it shorter.
    if (entry.size > kMostChunk || entry.stored < kBlockHeader + kTagBytes ||
        entry.stored > entry.size + kBlockHeader + kTagBytes) {
      refuse("a block has a size that cannot be");
    }
  }
  if (offset + sealed.size() + kPackTrailer != object_size) {
    refuse("its blocks do not fill it");
  }
  return entries;
}

void PackReader::block(const PackEntry& entry, std::span<std::byte> stored, BlockCodec& codec,
                       std::vector<std::byte>& chunk) {
  const std::string which = "block " + std::to_string(entry.number);
  if (stored.size() != entry.stored) refuse(which + " was cut short");
  if (!sealer_.open(entry.number, entry.id, stored)) refuse(which + " is not what was sealed");
  try {
    codec.decode(stored.first(stored.size() - kTagBytes), chunk);
  } catch (const ProtocolError& error) {
    refuse(which + ": " + error.what());
  }
  if (chunk.size() != entry.size || keys_.chunk_id(chunk) != entry.id) {
    refuse(which + " has other content than its id says");
  }
}

}  // namespace fairsync
