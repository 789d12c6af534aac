// Makes regular files on several threads: small ones whole, big ones in ranges. A file gets its
// mode and time when its last byte is written.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "datasets/content.h"
#include "datasets/spec.h"
#include "datasets/work_pool.h"

namespace fairwire {

/// A file to be made.
struct FilePlan {
  std::shared_ptr<const FileDescriptor> folder;
  std::string name;
  int64_t size = 0;
  Content content = Content::random;
  uint64_t content_seed = 0;
  unsigned mode = 0;
  int64_t mtime_s = 0;
  int64_t mtime_ns = 0;
  EntryExtras extras = {};
};

class FileMaker {
 public:
  explicit FileMaker(unsigned threads);

  /// Returns once there is room for the work; throws SystemError for earlier files too.
  void make(FilePlan plan);
  /// Until every file is whole.
  void wait() { pool_.wait(); }

  int64_t bytes_done() const { return bytes_done_.load(std::memory_order_relaxed); }

 private:
  struct OpenFile;

  void make_big(FilePlan plan);
  void write_range(const OpenFile& file, int64_t begin, int64_t end, std::span<std::byte> scratch);
  void write_sparse(const OpenFile& file, std::span<std::byte> scratch);
  void write_all(const OpenFile& file, std::span<std::byte> scratch);

  std::atomic<int64_t> bytes_done_ = 0;
  WorkPool pool_;  // the last member: its threads end first
};

}  // namespace fairwire
