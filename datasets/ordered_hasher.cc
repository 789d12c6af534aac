#include "datasets/ordered_hasher.h"

#include <chrono>

#include "datasets/hash_file.h"
#include "datasets/path.h"

namespace fairwire {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr size_t kMaximumOutstanding = 64;  // files being hashed: each may hold its folder open
constexpr size_t kMaximumWaiting = 4096;    // entries behind one that is still being hashed
constexpr size_t kMaximumWaitingBytes = size_t{8} << 20;  // their paths and targets
constexpr Nanoseconds kProgressStep = std::chrono::milliseconds(100);

size_t text_bytes(const Entry& entry) {
  return entry.path.size() + entry.target.size();
}

}  // namespace

OrderedHasher::OrderedHasher(const WalkOptions& options, const Visit& visit)
    : options_(options),
      visit_(visit),
      told_(monotonic_now()),
      pool_(options.threads, kMaximumOutstanding, kReadBytes) {}

void OrderedHasher::add(Entry entry) {
  make_room();
  push(std::move(entry), true);
}

void OrderedHasher::add_file(Entry entry, std::shared_ptr<const FileDescriptor> folder,
                             const struct stat& status) {
  make_room();
  Slot& slot = push(std::move(entry), true);
  if (status.st_nlink > 1) {
    slot.linked = true;
    slot.inode = {status.st_dev, status.st_ino};
    const auto [known, is_first] = linked_.try_emplace(slot.inode);
    if (!is_first) {
      slot.entry.hard_link = known->second.first.path;
      return;
    }
    known->second.first.path = slot.entry.path;
    known->second.to_come = status.st_nlink;
  }
  if (options_.hash) submit(slot, std::move(folder), status);
}

WalkSummary OrderedHasher::finish() {
  while (!slots_.empty()) deliver_front();
  return summary_;
}

OrderedHasher::Slot& OrderedHasher::push(Entry entry, bool done) {
  waiting_bytes_ += text_bytes(entry);
  slots_.push_back({std::move(entry), done});
  return slots_.back();
}

void OrderedHasher::submit(Slot& slot, std::shared_ptr<const FileDescriptor> folder,
                           const struct stat& status) {
  wait_until([this] { return outstanding_ < kMaximumOutstanding; });
  {
    const std::lock_guard lock(mutex_);
    slot.done = false;
    ++outstanding_;
  }
  pool_.submit([this, &slot, folder = std::move(folder),
                name = std::string(base_name(slot.entry.path)),
                status](std::span<std::byte> scratch) mutable {
    HashResult result = hash_file(folder->get(), name, status, scratch, hashed_bytes_);
    folder.reset();
    const std::lock_guard lock(mutex_);
    slot.entry.sha256 = result.sha256;
    slot.entry.problem = std::move(result.problem);
    result.local.owner = slot.entry.local.owner;
    slot.entry.local = result.local;
    slot.done = true;
    --outstanding_;
    one_done_.notify_one();
  });
}

// Delivers what is ready; waits only when too much is waiting already.
void OrderedHasher::make_room() {
  const auto front_done = [this] {
    const std::lock_guard lock(mutex_);
    return slots_.front().done;
  };
  while (!slots_.empty() && (slots_.size() >= kMaximumWaiting ||
                             waiting_bytes_ >= kMaximumWaitingBytes || front_done())) {
    deliver_front();
  }
}

void OrderedHasher::deliver_front() {
  wait_until([this] { return slots_.front().done; });
  Slot slot = std::move(slots_.front());
  slots_.pop_front();
  waiting_bytes_ -= text_bytes(slot.entry);
  if (slot.linked) settle_links(slot);
  count(slot.entry);
  visit_(slot.entry);
  tell_progress();
}

// Later names of an inode come after the first, so its digest is known by then.
void OrderedHasher::settle_links(Slot& slot) {
  Linked& linked = linked_.at(slot.inode);
  if (slot.entry.hard_link.empty()) {
    linked.first = slot.entry;
  } else {
    slot.entry.sha256 = linked.first.sha256;
    slot.entry.problem = linked.first.problem;
    slot.entry.local = linked.first.local;
  }
  if (--linked.to_come == 0) linked_.erase(slot.inode);
}

void OrderedHasher::count(const Entry& entry) {
  ++summary_.entries;
  summary_.problems += !entry.problem.empty();
  switch (entry.type) {
    case EntryType::file:
      ++summary_.files;
      if (!entry.hard_link.empty()) break;
      summary_.bytes = add_bytes(summary_.bytes, entry.size);
      summary_.allocated_bytes = add_bytes(summary_.allocated_bytes, entry.allocated_bytes);
      break;
    case EntryType::directory:
    case EntryType::symlink:
      break;
    default:
      ++summary_.not_regular;
  }
}

void OrderedHasher::tell_progress() {
  if (!options_.progress || monotonic_now() - told_ < kProgressStep) return;
  told_ = monotonic_now();
  options_.progress(hashed_bytes_.load(std::memory_order_relaxed), summary_.entries);
}

template <typename Ready>
void OrderedHasher::wait_until(const Ready& ready) {
  std::unique_lock lock(mutex_);
  while (!one_done_.wait_for(lock, kProgressStep, ready)) {
    lock.unlock();
    tell_progress();
    lock.lock();
  }
}

}  // namespace fairwire
