// The directories of a tree by entry id, opened part by part beneath the root.
// Invariant: every descriptor was reached from the root's by openat(O_NOFOLLOW) of one checked
// name at a time, so neither a symlink nor a long path leads elsewhere. Safe for many threads.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "reference/floor.h"
#include "reference/wire/messages.h"

namespace fairsync {

using SharedDescriptor = std::shared_ptr<const FileDescriptor>;

class Directories {
 public:
  explicit Directories(FileDescriptor root);

  int root() const { return root_->get(); }
  void add(EntryId id, EntryId parent, std::string name);
  /// Throws ProtocolError for an id that is no directory, SystemError when it cannot be opened.
  SharedDescriptor open(EntryId id);
  /// From the root, with slashes; for messages only.
  std::string path(EntryId id, const std::string& name = "") const;

 private:
  struct Place {
    EntryId parent = kRootId;
    std::string name;
  };
  using Recent = std::list<std::pair<EntryId, SharedDescriptor>>;

  const Place& place(EntryId id) const;
  SharedDescriptor cached(EntryId id);
  void remember(EntryId id, SharedDescriptor descriptor);

  SharedDescriptor root_;
  mutable std::mutex mutex_;
  std::unordered_map<EntryId, Place> places_;
  Recent recent_;  // most recently used first
  std::unordered_map<EntryId, Recent::iterator> index_;
};

}  // namespace fairsync
