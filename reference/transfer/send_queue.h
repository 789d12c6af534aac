// What the data connections of a sender shall send next: groups of small files, or one piece of a
// file in pieces. Invariant: every want and every piece is handed out once, O(1) each.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "reference/content.h"
#include "reference/wire/messages.h"

namespace fairsync {

/// A file that travels in pieces, open, with what stat said before the first byte was read.
struct OutgoingFile {
  EntryId id = 0;
  uint8_t attempt = 1;
  FileDescriptor file;
  struct stat before {};
  std::vector<Digest> digests;       // by piece; each written by the thread that sends it
  uint64_t next_piece = 0;           // of the queue
  std::atomic<uint64_t> unsent = 0;  // pieces; who takes it to 0 ends the file
  std::atomic<bool> broken = false;  // shorter than promised, or unreadable

  uint64_t size() const { return static_cast<uint64_t>(before.st_size); }
};

struct SizedWant {
  Want want;
  uint64_t size = 0;  // as listed
};

struct SendJob {
  std::shared_ptr<OutgoingFile> file;  // a piece of this, or nullptr
  uint64_t piece = 0;
  std::vector<SizedWant> wants;
};

class SendQueue {
 public:
  void add(std::vector<SizedWant> wants);
  void add_file(std::shared_ptr<OutgoingFile> file);
  /// Waits; nullopt when stopped.
  std::optional<SendJob> next(const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<SizedWant> wants_;
  std::deque<std::shared_ptr<OutgoingFile>> files_;
};

}  // namespace fairsync
