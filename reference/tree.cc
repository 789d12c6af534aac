#include "reference/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "reference/say.h"

namespace fairsync {
namespace {

constexpr size_t kEntriesPerList = 512;  // of about 60 bytes: a LIST leaves while the walk goes on
constexpr size_t kBytesPerList = size_t{256} << 10;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

std::string read_target(int directory, const std::string& name) {
  std::string target(kMaxTarget + 1, '\0');
  const ssize_t length = check_system(
      ::readlinkat(directory, name.c_str(), target.data(), target.size()), "read symlink", name);
  target.resize(static_cast<size_t>(length));
  return target;
}

EntryKind kind_of(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return EntryKind::directory;
  if (S_ISLNK(status.st_mode)) return EntryKind::symlink;
  const bool can_be_sent =
      S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) <= kMaxFileSize;
  return can_be_sent ? EntryKind::file : EntryKind::skipped;
}

class Lister {
 public:
  Lister(Directories& directories, const ListSink& sink) : directories_(directories), sink_(sink) {}

  ListEnd run() {
    struct stat status {};
    check_system(::fstat(directories_.root(), &status), "stat", "the root");
    while (!waiting_.empty()) {
      const EntryId id = waiting_.back();
      waiting_.pop_back();
      list_.directory = id;
      list_directory(id);
      list_.last = true;
      flush();
      list_ = {};
    }
    return {next_id_ - 1, attributes_of(status)};
  }

 private:
  void list_directory(EntryId id) {
    SharedDescriptor directory;
    std::vector<std::string> names;
    try {
      directory = directories_.open(id);
      names = names_in(directory->get());
    } catch (const SystemError& error) {
      return cannot_list(directories_.path(id), error);
    }
    for (const std::string& name : names) {
      if (name_fault(name, id) != nullptr) continue;  // the staging folder of a broken transfer
      std::optional<Entry> entry;
      try {
        entry = look_at(directory->get(), name);
      } catch (const SystemError& error) {
        cannot_list(directories_.path(id, name), error);
      }
      if (entry) add(id, std::move(*entry));
    }
  }

  void cannot_list(const std::string& path, const SystemError& error) {
    say(path + ": cannot be listed: " + error.what());
    list_.incomplete = true;
  }

  void add(EntryId parent, Entry entry) {
    if (next_id_ == kMaxEntries) throw ProtocolError("more than 2^31 entries");
    const EntryId id = next_id_++;
    if (entry.kind == EntryKind::directory) {
      directories_.add(id, parent, entry.name);
      waiting_.push_back(id);
    } else if (entry.kind == EntryKind::skipped) {
      say(directories_.path(parent, entry.name) + ": no file, directory or symlink: skipped");
    }
    bytes_ += entry.name.size() + entry.target.size();
    list_.entries.push_back(std::move(entry));
    if (list_.entries.size() >= kEntriesPerList || bytes_ >= kBytesPerList) flush();
  }

  // nullopt when it vanished meanwhile.
  std::optional<Entry> look_at(int directory, const std::string& name) {
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return std::nullopt;
      throw_system_error("stat", name);
    }
    Entry entry{kind_of(status), attributes_of(status), 0, name, ""};
    if (entry.kind == EntryKind::file) entry.size = static_cast<uint64_t>(status.st_size);
    if (entry.kind != EntryKind::symlink) return entry;
    try {
      entry.target = read_target(directory, name);
    } catch (const SystemError& error) {
      if (error.error_number == ENOENT || error.error_number == EINVAL) return std::nullopt;
      throw;
    }
    return entry;
  }

  void flush() {
    sink_(list_, sent_ + 1);
    sent_ += static_cast<EntryId>(list_.entries.size());
    list_.entries.clear();
    bytes_ = 0;
  }

  Directories& directories_;
  const ListSink& sink_;
  std::vector<EntryId> waiting_{kRootId};
  List list_;
  size_t bytes_ = 0;
  EntryId next_id_ = 1;
  EntryId sent_ = 0;
};

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kDeepest = 200;  // levels held open at once

FileDescriptor open_to_empty(int parent, const std::string& name) {
  int fd = ::openat(parent, name.c_str(), kDirectoryFlags);
  if (fd < 0 && errno == EACCES && ::fchmodat(parent, name.c_str(), 0700, 0) == 0) {
    fd = ::openat(parent, name.c_str(), kDirectoryFlags);
  }
  FileDescriptor directory(check_system(fd, "open directory", name));
  struct stat status {};
  check_system(::fstat(directory.get(), &status), "stat", name);
  if ((status.st_mode & 0700) != 0700) ::fchmod(directory.get(), 0700);
  return directory;
}

// true when it was no directory and is gone.
bool unlinked(int parent, const std::string& name) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return true;
  if (errno != EISDIR && errno != EPERM) throw_system_error("remove", name);
  struct stat status {};
  check_system(::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW), "stat", name);
  if (!S_ISDIR(status.st_mode)) throw SystemError("remove", name, EPERM);
  return false;
}

class Removal {
 public:
  void run(int parent, const std::string& name) {
    enter(parent, name);
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.below.empty() && levels_.size() == 1 && moved_ > 0) {
        moved_ = 0;
        empty(level);
      }
      if (!level.below.empty()) {
        const std::string next = std::move(level.below.back());
        level.below.pop_back();
        enter(level.directory.get(), next);
        continue;
      }
      const std::string done = std::move(level.name);
      levels_.pop_back();
      const int above = levels_.empty() ? parent : levels_.back().directory.get();
      check_system(::unlinkat(above, done.c_str(), AT_REMOVEDIR), "remove", done);
    }
  }

 private:
  struct Level {
    FileDescriptor directory;
    std::string name;
    std::vector<std::string> below;  // directories that are still there
  };

  void enter(int parent, const std::string& name) {
    levels_.push_back({open_to_empty(parent, name), name, {}});
    empty(levels_.back());
  }

  // Unlinks all that is no directory. In an over-deep tree directories are moved to the topmost
  // level, which is emptied again later: so the number of open levels is bounded.
  void empty(Level& level) {
    const int here = level.directory.get();
    for (std::string& child : names_in(here)) {
      if (unlinked(here, child)) continue;
      if (levels_.size() < kDeepest) {
        level.below.push_back(std::move(child));
        continue;
      }
      const std::string moved = ".fairsync-deep-" + std::to_string(number_++);
      const int top = levels_.front().directory.get();
      check_system(::renameat(here, child.c_str(), top, moved.c_str()), "move", child);
      ++moved_;
    }
  }

  std::vector<Level> levels_;
  size_t moved_ = 0;
  size_t number_ = 0;
};

}  // namespace

Attributes attributes_of(const struct stat& status) {
  return {status.st_mode & 07777, status.st_mtim.tv_sec,
          static_cast<uint32_t>(status.st_mtim.tv_nsec)};
}

ListEnd list_tree(Directories& directories, const ListSink& sink) {
  return Lister(directories, sink).run();
}

std::vector<std::string> names_in(int directory) {
  FileDescriptor own(
      check_system(::openat(directory, ".", kDirectoryFlags), "open directory", "."));
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(own.get()));
  if (!dir) throw_system_error("list");
  own.release();
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) throw_system_error("list");
  return names;
}

void remove_beneath(int parent, const std::string& name) {
  if (unlinked(parent, name)) return;
  Removal().run(parent, name);
}

}  // namespace fairsync
