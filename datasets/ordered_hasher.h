// Hashes files on several threads and hands the entries on in the order in which they came.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "datasets/manifest.h"
#include "datasets/tree_walk.h"
#include "datasets/work_pool.h"

namespace fairwire {

class OrderedHasher {
 public:
  using Visit = std::function<void(const Entry&)>;

  OrderedHasher(const WalkOptions& options, const Visit& visit);

  /// An entry that needs no reading.
  void add(Entry entry);
  /// A regular file in `folder` that `status` describes.
  void add_file(Entry entry, std::shared_ptr<const FileDescriptor> folder,
                const struct stat& status);
  /// Delivers what is left.
  WalkSummary finish();

 private:
  using Inode = std::pair<dev_t, ino_t>;

  struct Slot {
    Entry entry;
    bool done = false;
    bool linked = false;  // the inode has other names
    Inode inode{};
  };
  // An inode with several names, from its first name on until its last.
  struct Linked {
    Entry first;
    nlink_t to_come = 0;
  };

  Slot& push(Entry entry, bool done);
  void submit(Slot& slot, std::shared_ptr<const FileDescriptor> folder, const struct stat& status);
  void make_room();
  void deliver_front();
  void settle_links(Slot& slot);
  void count(const Entry& entry);
  void tell_progress();
  template <typename Ready>
  void wait_until(const Ready& ready);

  const WalkOptions& options_;
  const Visit& visit_;
  WalkSummary summary_;
  std::map<Inode, Linked> linked_;
  std::deque<Slot> slots_;  // references stay valid while it grows and shrinks at its ends
  size_t waiting_bytes_ = 0;
  Nanoseconds told_{0};
  std::atomic<int64_t> hashed_bytes_ = 0;
  std::mutex mutex_;  // guards Slot::done, the entry of a slot being hashed, and outstanding_
  std::condition_variable one_done_;
  size_t outstanding_ = 0;
  WorkPool pool_;  // the last member: its threads end first
};

}  // namespace fairwire
