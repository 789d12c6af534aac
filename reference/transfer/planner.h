// Turns the sender's listing into directories, symlinks and wants, and remembers what has to go.
// Invariant: nothing is removed that the listing does not replace, until finish(), which is only
// called for a listing that came whole.
#pragma once

#include <sys/stat.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reference/transfer/landing.h"
#include "reference/transfer/session.h"

namespace fairsync {

class Planner {
 public:
  Planner(Session& session, Directories& directories, Wanted& wanted, Landing& landing);

  void take(const List& list);
  void take(const ListEnd& end);
  bool is_complete() const { return is_complete_; }

  /// Removes what was not listed, then sets modes and times of directories.
  void finish();

 private:
  struct Listing {  // of a directory whose listing has not ended
    bool is_fresh = false;
    bool is_incomplete = false;
    std::unordered_set<std::string> names;
  };
  struct Folder {
    EntryId id = 0;
    Attributes attributes;
  };
  struct Doomed {
    EntryId parent = 0;
    std::string name;
  };

  void plan(EntryId directory, int fd, Listing& listing, const Entry& entry);
  void plan_directory(EntryId parent, int fd, const Entry& entry, const struct stat* there);
  void plan_symlink(int fd, const Entry& entry, const struct stat* there);
  void plan_file(EntryId parent, int fd, const Entry& entry, const struct stat* there);
  void end_listing(EntryId directory, const Listing& listing);
  void send_wants();
  void fail(EntryId parent, const std::string& name, const SystemError& error);

  Session& session_;
  Directories& directories_;
  Wanted& wanted_;
  Landing& landing_;
  std::unordered_map<EntryId, Listing> listings_;  // the sender still owes the end of these
  std::vector<Folder> folders_;
  std::vector<Doomed> doomed_;
  std::vector<Want> wants_;
  std::vector<std::byte> buffer_;
  EntryId next_id_ = 1;
  bool is_complete_ = false;
};

}  // namespace fairsync
