// The manifest (docs/manifest.md, schema 1): the sorted list of a tree. Written and read as a
// stream; two manifests are compared by merging them, never by holding a tree in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "base/digest.h"

namespace fairwire {

enum class EntryType { file, directory, symlink, fifo, socket, block_device, char_device };

/// One entry beneath the root; the root itself is not listed.
struct Entry {
  std::string path;  ///< bytes, '/' between parts, no leading '/'
  EntryType type = EntryType::file;
  int64_t size = 0;            ///< of regular files: logical bytes; else 0
  int64_t allocated_bytes = 0;  ///< 512 × st_blocks; informative, never compared
  unsigned mode = 0;           ///< 07777 bits
  int64_t mtime_s = 0;         ///< floor of the seconds, may be negative
  int32_t mtime_ns = 0;        ///< 0 … 999 999 999
  std::string target;          ///< of a symlink, bytes
  std::string hard_link;       ///< first path (byte order) of the same inode, when there is one
  std::optional<Digest> sha256;  ///< of regular files that were hashed
  std::string problem;         ///< why it could not be read; then `sha256` is empty

  bool operator==(const Entry&) const = default;
};

/// Entries in any order in, sorted by path bytes out.
class ManifestWriter {
 public:
  explicit ManifestWriter(std::ostream& out);
  void write(const Entry& entry);  ///< in ascending byte order of paths
  /// Writes the closing line and returns the SHA-256 of everything before it.
  Digest finish();

 private:
  std::ostream& out_;
  Sha256 hash_;
  int64_t entries_ = 0;
  int64_t bytes_ = 0;
  std::string last_path_;
};

/// Reads what ManifestWriter writes. `next` throws FormatError{file, "line N", reason} for
/// anything else, unsorted or truncated manifests included.
class ManifestReader {
 public:
  ManifestReader(std::istream& in, std::string file);
  std::optional<Entry> next();

 private:
  std::istream& in_;
  std::string file_;
  Sha256 hash_;
  int64_t line_ = 0;
  int64_t entries_ = 0;
  int64_t bytes_ = 0;
  std::string last_path_;
};

const char* to_string(EntryType type);

}  // namespace fairwire
