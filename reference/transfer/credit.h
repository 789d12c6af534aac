// Byte credit of docs/protocol.md, the sender's side. Invariant: never more data under way than the
// receiver has allowed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

#include "reference/wire/messages.h"

namespace fairsync {

class Credit {
 public:
  void add(uint64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      bytes_ += bytes;
    }
    more_.notify_all();
  }

  /// Waits until `bytes` are there and takes them; false when stopped first.
  bool take(uint64_t bytes, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!more_.wait(lock, stop, [&] { return bytes_ >= bytes; })) return false;
    bytes_ -= bytes;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any more_;
  uint64_t bytes_ = kInitialCredit;
};

}  // namespace fairsync
