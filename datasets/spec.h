// A data set's recipe (docs/dataset.md, schema 2): what shall be in the tree, in words small
// enough to publish. With a seed it gives the same tree everywhere, byte for byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace fairwire {

enum class Content { random, log_text, zeros, sparse };

/// One group of files of a recipe. Sizes are drawn from an integer quantile table: 2 or more
/// values at evenly spaced quantiles from 0 to 1, linear between; a single value is a fixed size.
struct FileGroup {
  std::string folder;  ///< relative path of the group's top folder; empty: the root
  std::string prefix;  ///< file names are PREFIX + zero-padded number + SUFFIX
  std::string suffix;
  int64_t count = 0;
  std::vector<int64_t> size_quantiles;
  int64_t copy_every = 0;        ///< n: the last of every n files is a copy of the first
  int64_t files_per_folder = 0;  ///< 0: all in one; else numbered sub-folders
  Content content = Content::random;
};

/// What not every maker may set and not every file system can hold.
struct EntryExtras {
  struct Owner {
    int64_t uid = 0;
    int64_t gid = 0;
  };
  struct Time {
    int64_t seconds = 0;
    int64_t nanoseconds = 0;
  };
  std::optional<Owner> owner = {};
  std::optional<Time> mtime = {};
  std::vector<std::pair<std::string, std::string>> xattrs = {};  ///< bytes
};

/// Something that is not a plain file.
struct SpecialEntry {
  enum class Kind { directory, symlink, hardlink, fifo, file };
  Kind kind = Kind::directory;
  std::string path;    ///< bytes, unescaped
  std::string target;  ///< of a symlink (bytes) or a hard link (path of an earlier entry)
  int64_t size = 0;    ///< of a file
  Content content = Content::random;  ///< of a file
  std::optional<unsigned> mode;       ///< without it the recipe's default
  EntryExtras extras;
};

struct DatasetSpec {
  std::string name;
  std::string title;
  std::vector<FileGroup> groups;
  std::vector<SpecialEntry> entries;
  unsigned file_mode = 0644;
  unsigned directory_mode = 0755;
  int64_t first_mtime_s = 0;  ///< the n-th entry made gets first + n seconds (and n ns)

  int64_t planned_files() const;  ///< names of regular files: hard links count
};

/// Path of the `index`-th file of a group, from 0.
std::string group_path(const FileGroup& group, int64_t index);

/// A mode as our formats write it: exactly four octal digits, "0644".
std::optional<unsigned> parse_mode(std::string_view text);
std::string format_mode(unsigned mode);

/// Throws FormatError{file, pointer, reason}. Bounds: docs/dataset.md.
DatasetSpec parse_dataset_spec(const Json& json, const std::string& file);

}  // namespace fairwire
