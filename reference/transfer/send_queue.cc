#include "reference/transfer/send_queue.h"

namespace fairsync {
namespace {

// A group is one bundle: small enough that several connections share a folder of small files.
constexpr uint64_t kGroupBytes = uint64_t{1} << 20;
constexpr size_t kGroupFiles = 256;

}  // namespace

void SendQueue::add(std::vector<SizedWant> wants) {
  {
    const std::lock_guard lock(mutex_);
    wants_.insert(wants_.end(), wants.begin(), wants.end());
  }
  more_.notify_all();
}

void SendQueue::add_file(std::shared_ptr<OutgoingFile> file) {
  {
    const std::lock_guard lock(mutex_);
    files_.push_back(std::move(file));
  }
  more_.notify_all();
}

std::optional<SendJob> SendQueue::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!more_.wait(lock, stop, [&] { return !wants_.empty() || !files_.empty(); })) {
    return std::nullopt;
  }
  SendJob job;
  if (!files_.empty()) {
    job.file = files_.front();
    job.piece = job.file->next_piece++;
    if (job.file->next_piece == job.file->digests.size()) files_.pop_front();
    return job;
  }
  uint64_t bytes = 0;
  while (!wants_.empty() && job.wants.size() < kGroupFiles) {
    bytes += wants_.front().size;
    if (!job.wants.empty() && bytes > kGroupBytes) break;
    job.wants.push_back(wants_.front());
    wants_.pop_front();
  }
  return job;
}

}  // namespace fairsync
