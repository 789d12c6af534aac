#include "reference/store/folder_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace fairsync {
namespace {

constexpr const char* kStaging = ".tmp";

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

void sync(const FileDescriptor& file, const std::string& path) {
  if (::fsync(file.get()) != 0) throw_system_error("write to the disk", path);
}

// Of this process, once only.
std::string staging_name() {
  static std::atomic<uint64_t> number = 0;
  return std::string(kStaging) + "/" + std::to_string(::getpid()) + "-" + std::to_string(++number);
}

bool owner_lives(const char* name) {
  const int pid = std::atoi(name);
  return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
}

void remove_stale(const FileDescriptor& folder) {
  const int staging = ::openat(folder.get(), kStaging, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (staging < 0) return;
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(staging));
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    if (entry->d_name[0] == '.' || owner_lives(entry->d_name)) continue;
    ::unlinkat(::dirfd(dir.get()), entry->d_name, 0);
  }
}

}  // namespace

void FolderStore::create(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) throw_system_error("make the store", path);
}

FolderStore::FolderStore(const std::string& path, Durable durable)
    : root_(path), durable_(durable) {
  folder_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder_.get() < 0) throw_system_error("open the store", path);
  remove_stale(folder_);
}

// With the folders on the way made, and on the disk.
FileDescriptor FolderStore::parent_of(const std::string& name, bool make) {
  FileDescriptor at(check_system(::dup(folder_.get()), "dup"));
  size_t start = 0;
  for (size_t end = name.find('/'); end != name.npos; end = name.find('/', start)) {
    const std::string part = name.substr(start, end - start);
    start = end + 1;
    if (make && ::mkdirat(at.get(), part.c_str(), 0700) == 0 && durable_ == Durable::yes) {
      sync(at, path_of(name));
    }
    FileDescriptor next(
        ::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.get() < 0) {
      if (make || errno != ENOENT) throw_system_error("open", path_of(name));
      return {};
    }
    at = std::move(next);
  }
  return at;
}

bool FolderStore::put_new(const std::string& name, std::span<const std::byte> bytes) {
  check_object_name(name);
  if (size(name)) return false;
  const FileDescriptor parent = parent_of(name, true);
  if (::mkdirat(folder_.get(), kStaging, 0700) != 0 && errno != EEXIST) {
    throw_system_error("make directory", path_of(kStaging));
  }
  const std::string staged = staging_name();
  const FileDescriptor file(::openat(folder_.get(), staged.c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) throw_system_error("create", path_of(staged));
  try {
    file.write_all({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (durable_ == Durable::yes) sync(file, path_of(staged));
    const std::string last = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
    if (::renameat2(folder_.get(), staged.c_str(), parent.get(), last.c_str(), RENAME_NOREPLACE) !=
        0) {
      if (errno != EEXIST) throw_system_error("rename to", path_of(name));
      ::unlinkat(folder_.get(), staged.c_str(), 0);
      return false;
    }
    if (durable_ == Durable::yes) sync(parent, path_of(name));
  } catch (...) {
    ::unlinkat(folder_.get(), staged.c_str(), 0);
    throw;
  }
  return true;
}

std::optional<std::vector<std::byte>> FolderStore::get(const std::string& name, uint64_t offset,
                                                       uint64_t length) {
  check_object_name(name);
  const FileDescriptor file(
      ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw_system_error("open", path_of(name));
  }
  struct stat status {};
  check_system(::fstat(file.get(), &status), "stat", path_of(name));
  const auto size = static_cast<uint64_t>(status.st_size);
  if (offset > size || length > size - offset) {
    throw ProtocolError(path_of(name) + " is shorter than was asked for");
  }
  std::vector<std::byte> bytes(length);
  for (size_t done = 0; done < length;) {
    const ssize_t count =
        ::pread(file.get(), bytes.data() + done, length - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("read", path_of(name));
    if (count == 0) throw ProtocolError(path_of(name) + " was cut while it was read");
    done += static_cast<size_t>(count);
  }
  return bytes;
}

std::optional<uint64_t> FolderStore::size(const std::string& name) {
  check_object_name(name);
  struct stat status {};
  if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw_system_error("stat", path_of(name));
  }
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<uint64_t>(status.st_size);
}

void FolderStore::list_folder(const std::string& folder, const std::string& prefix,
                              std::vector<StoredObject>& into) {
  const int opened = ::openat(folder_.get(), folder.empty() ? "." : folder.c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) {
    if (errno == ENOENT) return;  // removed while we walked
    throw_system_error("open", path_of(folder));
  }
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(opened));
  errno = 0;
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    if (entry->d_name[0] == '.') continue;
    const std::string name = folder.empty() ? entry->d_name : folder + "/" + entry->d_name;
    // Only where something below can begin so.
    const size_t shared = std::min(name.size(), prefix.size());
    if (name.compare(0, shared, prefix, 0, shared) != 0) continue;
    if (entry->d_type == DT_DIR) {
      list_folder(name, prefix, into);
    } else if (const auto size = entry->d_type == DT_REG ? this->size(name) : std::nullopt) {
      if (name.starts_with(prefix)) into.push_back({name, *size});
    }
    errno = 0;
  }
  if (errno != 0) throw_system_error("read directory", path_of(folder));
}

std::vector<StoredObject> FolderStore::list(const std::string& prefix) {
  std::vector<StoredObject> objects;
  list_folder("", prefix, objects);
  std::ranges::sort(objects, {}, &StoredObject::name);
  return objects;
}

bool FolderStore::remove(const std::string& name) {
  check_object_name(name);
  if (::unlinkat(folder_.get(), name.c_str(), 0) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw_system_error("remove", path_of(name));
}

}  // namespace fairsync
