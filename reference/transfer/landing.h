// Where received bytes become files. Invariant: a file gets its name only when it is whole, checked
// and, as asked, durable; whatever fails leaves nothing under the final name. Everything is written
// in the staging folder first, under numbers, so names of any length can land.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>

#include "reference/directories.h"
#include "reference/transfer/wanted.h"

namespace fairsync {

/// A file in the staging folder; unlinked there unless it was placed.
class StagedFile {
 public:
  StagedFile(int staging, std::string name);  ///< creates it. Throws SystemError
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  void write_at(Bytes bytes, uint64_t offset);  ///< Throws SystemError.
  void set_attributes(const Attributes& attributes);
  void sync();
  void close();  ///< Throws SystemError: a close may tell of bytes that were lost.

  const std::string& name() const { return name_; }
  void forget() { is_placed_ = true; }

 private:
  int staging_;
  std::string name_;
  FileDescriptor file_;
  bool is_placed_ = false;
};

class Landing {
 public:
  /// Makes a new staging folder in the root; a stale one is removed. Throws SystemError.
  Landing(Directories& directories, Wanted& wanted, Durable durable);
  ~Landing();
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  std::unique_ptr<StagedFile> stage();
  /// Takes a whole, checked file to its name, now or with the next batch, and resolves its want.
  /// Throws SystemError when nothing more can land (disk full, read-only or broken).
  void land(EntryId id, std::unique_ptr<StagedFile> file, const Attributes& attributes,
            uint64_t size);
  /// A symlink, by way of the staging folder. Throws SystemError.
  void land_symlink(int directory, const Entry& entry);

  /// The thread of `batch`: barriers and renames until stopped. Returns at once otherwise.
  void run_batches(const std::stop_token& stop);
  /// When all is landed, before the root gets its own time.
  void remove_staging();
  /// Makes the last names, modes and times durable, unless `none`.
  void sync_all();

 private:
  struct Ready {
    EntryId id = 0;
    uint64_t size = 0;
    std::unique_ptr<StagedFile> file;
  };

  void land_batch(std::deque<Ready> batch);
  bool sync_data(std::deque<Ready>& batch);
  void sync_names(const std::deque<Ready>& batch);
  bool place(EntryId id, StagedFile& file);  ///< false, said and counted when it failed
  void fail(EntryId id, const SystemError& error);

  Directories& directories_;
  Wanted& wanted_;
  Durable durable_;
  FileDescriptor staging_;
  std::atomic<uint64_t> next_name_ = 0;
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<Ready> ready_;
  uint64_t ready_bytes_ = 0;
};

/// true for what makes every further file fail too: no space, no quota, read-only, broken disk.
bool ends_everything(const SystemError& error);

}  // namespace fairsync
