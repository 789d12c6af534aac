// A private directory that goes when its owner goes, and the removal of a tree beneath it.
#pragma once

#include <string>

namespace fairwire {

class TempDir {
 public:
  /// Makes PARENT/PREFIX.XXXXXX with mode 0700. Throws SystemError.
  explicit TempDir(const std::string& prefix, const std::string& parent = "/tmp");
  ~TempDir();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Removes a directory with all beneath it, or a file, by descriptors and without following a
/// symlink; what is already gone is fine. Paths longer than PATH_MAX are reached. Throws
/// SystemError on the first thing that cannot be removed.
void remove_tree(const std::string& path);

/// mkdir -p: missing parents too, each with `mode`.
void make_directories(const std::string& path, unsigned mode = 0755);

}  // namespace fairwire
