// The manifest (docs/manifest.md, schema 2): the sorted list of a tree. Written and read as a
// stream; two manifests are compared by merging them, never by holding a tree in memory.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>

#include "base/digest.h"
#include "base/json.h"
#include "datasets/merkle.h"

namespace fairwire {

enum class EntryType { file, directory, symlink, fifo, socket, block_device, char_device };

/// What not every file system can hold and not every user can see.
struct LocalFacts {
  struct Owner {
    int64_t uid = 0;
    int64_t gid = 0;
    bool operator==(const Owner&) const = default;
  };
  std::optional<Owner> owner = {};         ///< where the walk ran as root
  std::optional<int64_t> data_bytes = {};  ///< of a sparse file, in windows of 64 KiB
  std::optional<Digest> xattrs = {};       ///< of all user.*, when there are any
  std::optional<Digest> capability = {};   ///< of security.capability, as root

  bool operator==(const LocalFacts&) const = default;
};

/// One entry beneath the root; the root itself is not listed.
struct Entry {
  std::string path = {};  ///< bytes, '/' between parts, no leading '/'
  EntryType type = EntryType::file;
  int64_t size = 0;             ///< of regular files: logical bytes; else 0
  int64_t allocated_bytes = 0;  ///< 512 × st_blocks; of a walk only, not in a manifest
  unsigned mode = 0;            ///< 07777 bits
  int64_t mtime_s = 0;          ///< floor of the seconds, may be negative
  int32_t mtime_ns = 0;         ///< 0 … 999 999 999
  std::string target = {};      ///< of a symlink, bytes
  std::string hard_link = {};   ///< first path (byte order) of the same inode, when there is one
  std::optional<Digest> sha256 = {};  ///< of regular files that were hashed
  std::string problem = {};           ///< why it could not be read; then `sha256` is empty
  LocalFacts local = {};
  bool local_unknown = false;  ///< of a manifest of schema 1
  bool content_only = false;   ///< of a check list: size, mode, times and links are not known

  bool operator==(const Entry&) const = default;
};

/// Writes entries that come in ascending byte order of paths, as walk_tree delivers them.
class ManifestWriter {
 public:
  explicit ManifestWriter(std::ostream& out);
  /// Throws FormatError when the path is out of order, SystemError when `out` fails.
  void write(const Entry& entry);
  /// Writes the closing line, flushes, and returns the SHA-256 of the whole manifest: the number
  /// that `sha256sum MANIFEST` prints.
  Digest finish();
  /// The Merkle root of the entries written so far.
  Digest root() { return tree_.root(); }

 private:
  void put(const std::string& line);

  std::ostream& out_;
  Sha256 before_end_;  // of what stands before the closing line
  Sha256 whole_;
  MerkleTree tree_;
  int64_t entries_ = 0;
  int64_t bytes_ = 0;
  std::string last_path_;
};

/// Reads what ManifestWriter writes, and schema 1. `next` throws FormatError{file, "line N" or
/// "line N/KEY", reason} for anything else, unsorted or truncated manifests included: only a
/// nullopt says that the list was whole, so nothing may be concluded before it.
class ManifestReader {
 public:
  ManifestReader(std::istream& in, std::string file);
  /// The next entry; nullopt once the closing line was read and found right.
  std::optional<Entry> next();
  /// The Merkle root of the entries read so far.
  Digest root() { return tree_.root(); }

 private:
  [[noreturn]] void fail(const std::string& reason) const;
  std::string read_line();
  Json parse_line(const std::string& text) const;
  void read_header();
  void check_end(const Json& line);

  std::istream& in_;
  std::string file_;
  Sha256 hash_;  // of the lines before the one being read
  MerkleTree tree_;
  int schema_ = 0;
  int64_t line_ = 0;
  int64_t entries_ = 0;
  int64_t bytes_ = 0;
  std::string last_path_;
  bool ended_ = false;
};

const char* to_string(EntryType type);

/// total + size, at most 2^63 - 1: sparse files can claim more than that together.
int64_t add_bytes(int64_t total, int64_t size);

}  // namespace fairwire
