#include "base/temp_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"

namespace fairwire {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

using Directory = std::unique_ptr<DIR, CloseDir>;

constexpr size_t kOpenLevels = 32;  // deepest ones that stay open; a tree may have any depth
constexpr int kOpenFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// One directory being emptied. An explicit stack, not recursion: trees may be deeper than ours.
struct Level {
  Directory dir;     // closed while many others lie below
  std::string name;  // of this directory within its parent
  dev_t device = 0;
  ino_t inode = 0;
};

// nullptr when it is gone already.
Directory open_directory(int parent, const char* name) {
  int fd = ::openat(parent, name, kOpenFlags);
  if (fd < 0 && errno == EACCES && ::fchmodat(parent, name, 0700, 0) == 0) {
    fd = ::openat(parent, name, kOpenFlags);  // a tool may land a folder its owner cannot read
  }
  if (fd < 0 && errno == ENOENT) return nullptr;
  FileDescriptor descriptor(check_system(fd, "open", name));
  DIR* dir = ::fdopendir(descriptor.get());
  if (dir == nullptr) throw_system_error("open directory", name);
  descriptor.release();
  return Directory(dir);
}

void unlink_entry(int parent, const char* name, int flags) {
  if (::unlinkat(parent, name, flags) != 0 && errno != ENOENT) throw_system_error("remove", name);
}

bool is_directory(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  return ::fstatat(parent, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

class TreeRemoval {
 public:
  void run(const std::string& path) {
    enter(AT_FDCWD, path.c_str());
    while (!levels_.empty()) {
      DIR* dir = levels_.back().dir.get();
      errno = 0;
      const dirent* entry = ::readdir(dir);
      if (entry == nullptr) {
        if (errno != 0) throw_system_error("list", levels_.back().name);
        leave();
      } else if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
        remove_entry(::dirfd(dir), *entry);
      }
    }
  }

 private:
  void enter(int parent, const char* name) {
    Level level{open_directory(parent, name), name};
    if (!level.dir) return;
    struct stat status {};
    check_system(::fstat(::dirfd(level.dir.get()), &status), "stat", name);
    if ((status.st_mode & 0700) != 0700) {
      ::fchmod(::dirfd(level.dir.get()), 0700);  // else what it holds cannot be removed
    }
    level.device = status.st_dev;
    level.inode = status.st_ino;
    levels_.push_back(std::move(level));
    if (levels_.size() > kOpenLevels) levels_[levels_.size() - 1 - kOpenLevels].dir.reset();
  }

  void remove_entry(int parent, const dirent& entry) {
    if (is_directory(parent, entry)) {
      enter(parent, entry.d_name);
    } else {
      unlink_entry(parent, entry.d_name, 0);
    }
  }

  void leave() {
    const Level done = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty()) return unlink_entry(AT_FDCWD, done.name.c_str(), AT_REMOVEDIR);
    if (!levels_.back().dir) reopen(levels_.back(), ::dirfd(done.dir.get()));
    unlink_entry(::dirfd(levels_.back().dir.get()), done.name.c_str(), AT_REMOVEDIR);
  }

  // From below; reading starts anew, which is fine: what was removed does not come again.
  static void reopen(Level& level, int below) {
    Directory dir = open_directory(below, "..");
    struct stat status {};
    if (!dir || ::fstat(::dirfd(dir.get()), &status) != 0 || status.st_dev != level.device ||
        status.st_ino != level.inode) {
      throw SystemError("remove", level.name + " (moved away meanwhile)", ESTALE);
    }
    level.dir = std::move(dir);
  }

  std::vector<Level> levels_;
};

}  // namespace

TempDir::TempDir(const std::string& prefix, const std::string& parent)
    : path_(parent + "/" + prefix + ".XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw_system_error("make directory", path_);
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir::~TempDir() {
  if (path_.empty()) return;
  try {
    remove_tree(path_);
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void remove_tree(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw_system_error("stat", path);
  }
  if (!S_ISDIR(status.st_mode)) return unlink_entry(AT_FDCWD, path.c_str(), 0);
  TreeRemoval().run(path);
}

void make_directories(const std::string& path, unsigned mode) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0) {
      if (errno != EEXIST) throw_system_error("make directory", part);
      struct stat status {};
      check_system(::stat(part.c_str(), &status), "look at", part);
      if (!S_ISDIR(status.st_mode)) throw SystemError("make directory", part, ENOTDIR);
    }
    if (end == std::string::npos) return;
  }
}

}  // namespace fairwire
