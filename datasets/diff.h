// The comparison behind every verdict: two sorted streams of entries merged into what is missing,
// extra and different. Content, file set and metadata are separate answers. Invariant: a file is
// never called equal because one side was not read; that is `unreadable`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/manifest.h"

namespace fairwire {

struct Difference {
  enum class Kind {
    missing,
    extra,
    type,
    size,
    content,
    target,
    mode,
    mtime,
    hard_link,
    sparse,
    xattr,
    owner,
    unreadable
  };
  Kind kind;
  std::string path;    ///< bytes
  std::string wanted;  ///< in words; empty when there is nothing to say
  std::string landed;
  bool below_a_second = false;  ///< of an mtime: the whole seconds are equal
};

const char* to_string(Difference::Kind kind);

/// How many entries had a property on both sides, and how many of them unlike.
struct PropertyCount {
  int64_t compared = 0;
  int64_t different = 0;

  /// Returns whether it was different.
  bool add(bool unlike) {
    ++compared;
    different += unlike;
    return unlike;
  }
};

/// The properties of docs/manifest.md, "What is compared".
struct PropertyCounts {
  PropertyCount type, mode, mtime, mtime_seconds, symlink, hard_link, sparse, xattr, owner;
};

struct DiffResult {
  int64_t wanted_entries = 0;
  int64_t landed_entries = 0;
  int64_t wanted_bytes = 0;    ///< a file with several names counts once
  int64_t verified_bytes = 0;  ///< the part of it whose SHA-256 was compared and equal
  int64_t wanted_files = 0;    ///< names of regular files
  int64_t verified_files = 0;  ///< those of them whose SHA-256 was compared and equal
  int64_t missing = 0;
  int64_t extra = 0;
  int64_t content_different = 0;  ///< type, size, content or symlink target
  int64_t unreadable = 0;
  PropertyCounts properties;
  std::vector<Difference> first;  ///< the first `keep` differences, in path order

  /// Which paths there are. A path of another type is in the set, and different in content.
  bool same_file_set() const { return missing == 0 && extra == 0; }
  bool same_content() const { return content_different == 0 && unreadable == 0; }
  /// Every wanted file was read on both sides, and is equal. Without it nothing is verified.
  bool covers_all() const {
    return verified_files == wanted_files && verified_bytes == wanted_bytes;
  }
};

using EntrySource = std::function<std::optional<Entry>()>;

/// Both sources in ascending byte order of paths, else FormatError{"the wanted tree" or "the landed
/// tree", path, reason}. Keeps at most `keep` differences in `first`; `each` (optional) sees every
/// one, in path order. When neither side of a file has a digest (a walk without hashing), content
/// is not compared, its bytes are not verified, and covers_all() is false. The mode of symlinks is
/// not compared; of entries that are `content_only`, nothing but the digest is.
DiffResult diff_entries(const EntrySource& wanted, const EntrySource& landed, size_t keep = 100,
                        const std::function<void(const Difference&)>& each = {});

}  // namespace fairwire
