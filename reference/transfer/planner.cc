#include "reference/transfer/planner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "reference/content.h"
#include "reference/say.h"
#include "reference/tree.h"

namespace fairsync {
namespace {

constexpr size_t kWantsPerMessage = 1024;

bool has_time(const struct stat& status, const Attributes& attributes) {
  return status.st_mtim.tv_sec == attributes.mtime_s &&
         status.st_mtim.tv_nsec == static_cast<long>(attributes.mtime_ns);
}

// What stands under that name, without following it.
bool look(int directory, const std::string& name, struct stat& status) {
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno != ENOENT) throw_system_error("stat", name);
  return false;
}

bool has_target(int directory, const Entry& entry) {
  std::string target(kMaxTarget + 1, '\0');
  const ssize_t length = ::readlinkat(directory, entry.name.c_str(), target.data(), target.size());
  return length >= 0 && std::string_view(target).substr(0, length) == entry.target;
}

}  // namespace

Planner::Planner(Session& session, Directories& directories, Wanted& wanted, Landing& landing)
    : session_(session), directories_(directories), wanted_(wanted), landing_(landing) {
  listings_.try_emplace(kRootId);
}

void Planner::take(const List& list) {
  const auto found = listings_.find(list.directory);
  if (is_complete_ || found == listings_.end()) {
    throw ProtocolError("a listing of what is no directory or was listed before");
  }
  Listing& listing = found->second;
  listing.is_incomplete |= list.incomplete;
  SharedDescriptor directory;
  try {
    directory = directories_.open(list.directory);
  } catch (const SystemError& error) {  // it could not be made: nothing in it can land
    fail(list.directory, "", error);
    listing.is_incomplete = true;
  }
  for (const Entry& entry : list.entries) {
    if (next_id_ == kMaxEntries) throw ProtocolError("more than 2^31 entries");
    const bool is_new = listing.names.insert(entry.name).second;
    if (!is_new) throw ProtocolError("a name is listed twice in one directory");
    if (directory) {
      plan(list.directory, directory->get(), listing, entry);
    } else if (entry.kind == EntryKind::directory) {
      directories_.add(next_id_, list.directory, entry.name);
      listings_.try_emplace(next_id_);
    }
    if (entry.kind == EntryKind::skipped) listing.names.erase(entry.name);
    ++next_id_;
  }
  if (list.last) {
    end_listing(list.directory, listing);
    listings_.erase(list.directory);
  }
  send_wants();
}

void Planner::take(const ListEnd& end) {
  if (is_complete_ || !listings_.empty() || end.entries != next_id_ - 1) {
    throw ProtocolError("the listing ends before all of it has come");
  }
  folders_.insert(folders_.begin(), {kRootId, end.root});
  is_complete_ = true;
}

void Planner::plan(EntryId directory, int fd, Listing& listing, const Entry& entry) {
  try {
    struct stat status {};
    const bool is_there = !listing.is_fresh && look(fd, entry.name, status);
    const struct stat* there = is_there ? &status : nullptr;
    switch (entry.kind) {
      case EntryKind::directory:
        return plan_directory(directory, fd, entry, there);
      case EntryKind::symlink:
        return plan_symlink(fd, entry, there);
      case EntryKind::file:
        return plan_file(directory, fd, entry, there);
      case EntryKind::skipped:
        return say(directories_.path(directory, entry.name) +
                   ": no file, directory or symlink at the source: skipped");
    }
  } catch (const SystemError& error) {
    fail(directory, entry.name, error);
    if (ends_everything(error)) throw;
  }
}

void Planner::plan_directory(EntryId parent, int fd, const Entry& entry, const struct stat* there) {
  directories_.add(next_id_, parent, entry.name);
  Listing& listing = listings_[next_id_];
  const char* name = entry.name.c_str();
  if (there != nullptr && !S_ISDIR(there->st_mode)) {
    check_system(::unlinkat(fd, name, 0), "remove", entry.name);
    there = nullptr;
  }
  if (there == nullptr) {
    check_system(::mkdirat(fd, name, 0700), "make directory", entry.name);
    listing.is_fresh = true;
  } else if ((there->st_mode & 0700) != 0700) {
    // Not a symlink a moment ago; opened to be sure that it still is none.
    const FileDescriptor own(check_system(
        ::openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), "open", entry.name));
    const std::string link = "/proc/self/fd/" + std::to_string(own.get());
    check_system(::chmod(link.c_str(), (there->st_mode & 07777) | 0700), "chmod", entry.name);
  }
  folders_.push_back({next_id_, entry.attributes});
}

void Planner::plan_symlink(int fd, const Entry& entry, const struct stat* there) {
  const bool is_same = there != nullptr && S_ISLNK(there->st_mode) &&
                       has_time(*there, entry.attributes) && has_target(fd, entry);
  if (!is_same) landing_.land_symlink(fd, entry);
}

void Planner::plan_file(EntryId parent, int fd, const Entry& entry, const struct stat* there) {
  Want want{next_id_, std::nullopt};
  WantedFile wanted{parent, entry.name, false, std::nullopt};
  // Size and time alone say nothing about content: what is there is hashed, and the sender's too.
  if (there != nullptr && S_ISREG(there->st_mode) && has_time(*there, entry.attributes) &&
      static_cast<uint64_t>(there->st_size) == entry.size) {
    const FileDescriptor file(
        ::openat(fd, entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.is_open()) {  // else it is sent anew, as one that is not readable can be replaced
      const ContentDigest own = digest_of_file(file.get(), entry.size, buffer_);
      if (own.whole) want.held = Held{entry.size, own.digest};
      wanted.is_held = own.whole;
      if ((there->st_mode & 07777) != entry.attributes.mode) {
        wanted.mode_when_same = entry.attributes.mode;
      }
    }
  }
  wanted_.add(next_id_, std::move(wanted));
  wants_.push_back(want);
  if (wants_.size() >= kWantsPerMessage) send_wants();
}

void Planner::end_listing(EntryId directory, const Listing& listing) {
  if (listing.is_incomplete) {
    say(directories_.path(directory) +
        ": not listed whole by the sender: nothing is removed there");
    return wanted_.count_failure();
  }
  if (listing.is_fresh) return;
  try {
    for (std::string& name : names_in(directories_.open(directory)->get())) {
      const bool is_ours = directory == kRootId && name == kStagingName;
      if (!is_ours && !listing.names.contains(name))
        doomed_.push_back({directory, std::move(name)});
    }
  } catch (const SystemError& error) {
    fail(directory, "", error);
  }
}

void Planner::finish() {
  for (const Doomed& doomed : doomed_) {
    try {
      remove_beneath(directories_.open(doomed.parent)->get(), doomed.name);
    } catch (const SystemError& error) {
      fail(doomed.parent, doomed.name, error);
    }
  }
  for (size_t i = folders_.size(); i-- > 0;) {  // a folder is listed before what it holds
    const Attributes& attributes = folders_[i].attributes;
    const timespec times[2] = {{0, UTIME_OMIT}, {attributes.mtime_s, attributes.mtime_ns}};
    try {
      const SharedDescriptor folder = directories_.open(folders_[i].id);
      check_system(::fchmod(folder->get(), attributes.mode), "chmod");
      check_system(::futimens(folder->get(), times), "set the time");
    } catch (const SystemError& error) {
      fail(folders_[i].id, "", error);
    }
  }
}

void Planner::send_wants() {
  if (wants_.empty()) return;
  FrameBuilder out;
  put_wants(out, wants_);
  wants_.clear();
  session_.control().send(out);
}

void Planner::fail(EntryId parent, const std::string& name, const SystemError& error) {
  say(directories_.path(parent, name) + ": " + error.what());
  wanted_.count_failure();
}

}  // namespace fairsync
