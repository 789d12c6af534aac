// Edits of one open regular file in place: new random bytes at its end, in its midst, or over what
// is there. The rest moves in pieces, so that no size needs memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/rng.h"

namespace fairwire {

class FileEdit {
 public:
  /// `folder` is open, `name` a regular file in it; `path` is for messages. Throws SystemError.
  FileEdit(int folder, const std::string& name, std::string path);

  int64_t size() const { return size_; }
  /// `bytes` random bytes at `offset`; what was there moves behind them.
  void insert(int64_t offset, int64_t bytes, Rng& rng);
  /// `bytes` random bytes over what is at `offset`; the range lies within the file.
  void overwrite(int64_t offset, int64_t bytes, Rng& rng);
  /// The time it had when it was opened, plus one day.
  void set_time();

 private:
  void read_at(std::span<std::byte> out, int64_t offset);
  void write_at(std::span<const std::byte> bytes, int64_t offset);

  std::string path_;
  FileDescriptor fd_;
  int64_t size_ = 0;
  int64_t mtime_s_ = 0;
  int64_t mtime_ns_ = 0;
  std::vector<std::byte> scratch_;
};

/// Whatever a mutation changes becomes so much younger: more than any clock's coarseness, and
/// the same on every machine.
constexpr int64_t kMutationStepSeconds = 86'400;

}  // namespace fairwire
