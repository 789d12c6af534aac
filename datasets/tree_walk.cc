// The walk itself: one thread goes down and up by an explicit stack of folders and looks at every
// entry; OrderedHasher reads the files. Nothing is opened before fstatat says that it is a regular
// file or a folder: opening a FIFO or a device would already do something.
#include "datasets/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "datasets/hash_file.h"
#include "datasets/listing.h"
#include "datasets/local_facts.h"
#include "datasets/ordered_hasher.h"
#include "datasets/path.h"

namespace fairwire {
namespace {

constexpr size_t kOpenLevels = 32;  // deepest folders that stay open; the others are reopened

using Folder = std::shared_ptr<const FileDescriptor>;

// A folder that was listed when its own line was made.
struct Listed {
  std::string path;  // with a closing "/"; empty for the root
  Folder fd;         // empty: closed meanwhile
  dev_t device = 0;
  ino_t inode = 0;
  Listing listing;
  std::vector<std::unique_ptr<Listed>> held;  // folders within, listed but not yet entered
};

EntryType type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return EntryType::directory;
    case S_IFLNK:
      return EntryType::symlink;
    case S_IFIFO:
      return EntryType::fifo;
    case S_IFSOCK:
      return EntryType::socket;
    case S_IFBLK:
      return EntryType::block_device;
    case S_IFCHR:
      return EntryType::char_device;
    default:
      return EntryType::file;
  }
}

void describe(const struct stat& status, bool as_root, Entry& entry) {
  entry.type = type_of(status.st_mode);
  if (entry.type == EntryType::file) entry.size = status.st_size;
  entry.allocated_bytes = int64_t{512} * status.st_blocks;
  entry.mode = status.st_mode & 07777;
  entry.mtime_s = status.st_mtim.tv_sec;  // the kernel already rounds down
  entry.mtime_ns = static_cast<int32_t>(status.st_mtim.tv_nsec);
  if (as_root) entry.local.owner = {status.st_uid, status.st_gid};
}

void read_target(int folder, const char* name, Entry& entry) {
  std::string target(4096, '\0');  // PATH_MAX: no symlink says more
  const ssize_t length = ::readlinkat(folder, name, target.data(), target.size());
  if (length < 0) {
    entry.problem = problem_text("cannot be read", errno);
    return;
  }
  target.resize(static_cast<size_t>(length));
  entry.target = std::move(target);
}

bool is_same(int fd, dev_t device, ino_t inode) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

class Walker {
 public:
  Walker(const std::string& root, const WalkOptions& options, const OrderedHasher::Visit& visit)
      : hasher_(options, visit) {
    auto listed = std::make_unique<Listed>();
    root_ = std::make_shared<FileDescriptor>(open_file(root, O_RDONLY | O_DIRECTORY));
    listed->fd = root_;
    struct stat status {};
    check_system(::fstat(root_->get(), &status), "stat", root);
    listed->device = status.st_dev;
    listed->inode = status.st_ino;
    if (const int error = listed->listing.read(root_->get()); error != 0) {
      throw SystemError("list", root, error);
    }
    stack_.push_back(std::move(listed));
  }

  WalkSummary run() {
    while (!stack_.empty()) {
      Listed& top = *stack_.back();
      if (top.listing.at_end()) {
        stack_.pop_back();
        continue;
      }
      const Listing::Item item = top.listing.front();
      top.listing.pop();
      if (item.descend) {
        enter(top, item.name);
      } else {
        look_at(top, item);
      }
    }
    return hasher_.finish();
  }

 private:
  void look_at(Listed& parent, const Listing::Item& item) {
    Entry entry;
    entry.path = parent.path + std::string(item.name);
    const char* name = item.name.data();
    struct stat status {};
    if (!is_open(parent)) {
      entry.problem = "the folder it was in went away";
    } else if (::fstatat(parent.fd->get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      entry.problem = problem_text("cannot be looked at", errno);
    } else {
      describe(status, as_root_, entry);
      if (entry.type == EntryType::file) {
        return hasher_.add_file(std::move(entry), parent.fd, status);
      }
      if (entry.type == EntryType::symlink) read_target(parent.fd->get(), name, entry);
      if (entry.type == EntryType::directory) list(parent, item, status, entry);
    }
    hasher_.add(std::move(entry));
  }

  // Lists a folder at its own line, so that the line can say when that fails.
  void list(Listed& parent, const Listing::Item& item, const struct stat& status, Entry& entry) {
    auto listed = std::make_unique<Listed>();
    const int fd = open_quietly(parent.fd->get(), item.name.data(), O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
      entry.problem = problem_text("cannot be opened", errno);
      return;
    }
    listed->fd = std::make_shared<FileDescriptor>(fd);
    listed->path = entry.path + '/';
    listed->device = status.st_dev;
    listed->inode = status.st_ino;
    if (!item.folder || !is_same(fd, status.st_dev, status.st_ino)) {
      entry.problem = "changed while it was read";
    } else if (const int error = listed->listing.read(fd); error != 0) {
      entry.problem = problem_text("cannot be listed", error);
    } else if (!listed->listing.at_end() && too_deep(listed->path)) {
      entry.problem = "what lies beneath has a path of more than 1 MiB and is not read";
    } else if (const int failed = read_local_facts(fd, status, entry.local); failed != 0) {
      entry.problem = problem_text("has attributes that cannot be read", failed);
    } else {
      if (!is_next(parent, item.name)) listed->fd.reset();  // any number may be held
      parent.held.push_back(std::move(listed));
    }
  }

  static bool too_deep(const std::string& path) {
    return path.size() + kMaximumPartBytes > kMaximumPathBytes;
  }

  static bool is_next(const Listed& parent, std::string_view name) {
    return !parent.listing.at_end() && parent.listing.front().descend &&
           parent.listing.front().name == name;
  }

  // What lies between "a" and "a/" in order begins with "a" too, so folders are entered in the
  // reverse order of being held. One that is not held had a problem, said at its own line.
  void enter(Listed& parent, std::string_view name) {
    if (parent.held.empty()) return;
    const std::string& path = parent.held.back()->path;
    if (path.size() != parent.path.size() + name.size() + 1 ||
        path.compare(parent.path.size(), name.size(), name) != 0) {
      return;
    }
    auto listed = std::move(parent.held.back());
    parent.held.pop_back();
    stack_.push_back(std::move(listed));
    if (stack_.size() > kOpenLevels) stack_[stack_.size() - 1 - kOpenLevels]->fd.reset();
  }

  bool is_open(Listed& listed) {
    if (listed.fd) return true;
    try {
      auto fd = std::make_shared<FileDescriptor>(open_directory_beneath(
          root_->get(), listed.path.substr(0, listed.path.size() - !listed.path.empty())));
      if (is_same(fd->get(), listed.device, listed.inode)) listed.fd = std::move(fd);
    } catch (const SystemError&) {
      // gone: its entries say so
    }
    return listed.fd != nullptr;
  }

  const bool as_root_ = ::geteuid() == 0;
  Folder root_;
  OrderedHasher hasher_;
  std::vector<std::unique_ptr<Listed>> stack_;
};

}  // namespace

WalkSummary walk_tree(const std::string& root, const WalkOptions& options,
                      const std::function<void(const Entry&)>& visit) {
  return Walker(root, options, visit).run();
}

}  // namespace fairwire
