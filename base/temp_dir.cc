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

// One directory being emptied. An explicit stack, not recursion: trees may be deeper than ours.
struct Level {
  std::unique_ptr<DIR, CloseDir> dir;
  std::string name;  // of this directory within its parent
};

std::unique_ptr<DIR, CloseDir> open_directory(int parent, const char* name) {
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = ::openat(parent, name, flags);
  if (fd < 0 && errno == EACCES && ::fchmodat(parent, name, 0700, 0) == 0) {
    fd = ::openat(parent, name, flags);  // a tool may land a folder that its owner cannot read
  }
  check_system(fd, "open", name);
  DIR* dir = ::fdopendir(fd);
  if (dir == nullptr) {
    ::close(fd);
    throw_system_error("open directory", name);
  }
  return std::unique_ptr<DIR, CloseDir>(dir);
}

void unlink_entry(int parent, const char* name, int flags) {
  if (::unlinkat(parent, name, flags) == 0 || errno == ENOENT) return;
  if (errno == EACCES && ::fchmod(parent, 0700) == 0 && ::unlinkat(parent, name, flags) == 0) return;
  throw_system_error("remove", name);
}

bool is_directory(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  return ::fstatat(parent, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

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
  std::vector<Level> levels;
  levels.push_back({open_directory(AT_FDCWD, path.c_str()), path});
  while (!levels.empty()) {
    DIR* dir = levels.back().dir.get();
    const int fd = ::dirfd(dir);
    const dirent* entry = ::readdir(dir);
    if (entry == nullptr) {
      const std::string name = std::move(levels.back().name);
      levels.pop_back();
      unlink_entry(levels.empty() ? AT_FDCWD : ::dirfd(levels.back().dir.get()), name.c_str(),
                   AT_REMOVEDIR);
    } else if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) {
      continue;
    } else if (is_directory(fd, *entry)) {
      levels.push_back({open_directory(fd, entry->d_name), entry->d_name});
    } else {
      unlink_entry(fd, entry->d_name, 0);
    }
  }
}

void make_directories(const std::string& path, unsigned mode) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      throw_system_error("make directory", part);
    }
    if (end == std::string::npos) return;
  }
}

}  // namespace fairwire
