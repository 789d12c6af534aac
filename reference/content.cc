#include "reference/content.h"

#include <unistd.h>

#include <cerrno>

namespace fairsync {

Digest digest_of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Digest digest_of_pieces(std::span<const Digest> pieces) {
  if (pieces.size() == 1) return pieces.front();
  Sha256 hash;
  for (const Digest& piece : pieces) hash.update(std::as_bytes(std::span(piece)));
  return hash.finish();
}

size_t read_at(int fd, std::span<std::byte> buffer, uint64_t offset) {
  size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t count =
        ::pread(fd, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      throw_system_error("read");
    }
  }
  return done;
}

ContentDigest digest_of_file(int fd, uint64_t size, std::vector<std::byte>& buffer) {
  if (size == 0) return {digest_of({}), true};
  buffer.resize(std::max<size_t>(buffer.size(), piece_size(size)));
  std::vector<Digest> pieces;
  pieces.reserve(piece_count(size));
  for (uint64_t offset = 0; offset < size; offset += piece_size(size)) {
    const std::span<std::byte> part(buffer.data(), piece_length(size, offset));
    if (read_at(fd, part, offset) != part.size()) return {{}, false};
    pieces.push_back(digest_of(part));
  }
  return {digest_of_pieces(pieces), true};
}

}  // namespace fairsync
