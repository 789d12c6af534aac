// The receiver's open wants and the count of what became of them.
// Invariant: a want is added before the sender can know of it, and resolved exactly once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "reference/wire/messages.h"

namespace fairsync {

enum class Fate { landed, same, failed, changed };

struct WantedFile {
  EntryId parent = kRootId;
  std::string name;
  bool is_held = false;                    // only then the sender may say SAME
  std::optional<uint32_t> mode_when_same;  // what is there has another mode
};

class Wanted {
 public:
  void add(EntryId id, WantedFile file);
  /// Throws ProtocolError for an id that was never wanted; nullopt when it is resolved already.
  std::optional<WantedFile> find(EntryId id) const;
  void resolve(EntryId id, Fate fate);
  /// A failure that belongs to no file: a symlink, a directory, a removal.
  void count_failure();

  size_t pending() const;
  /// Waits until nothing is pending; false when stopped first.
  bool wait_until_none(const std::stop_token& stop);
  Done totals() const;  ///< with the exit code of docs/protocol.md

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any none_;
  std::unordered_map<EntryId, WantedFile> pending_;
  std::unordered_set<EntryId> failed_;  // late pieces of these are no breach of the protocol
  Done totals_;
  bool has_failed_ = false;
  bool has_changed_ = false;
};

}  // namespace fairsync
