// Byte order of full paths: what lies in the folder "a" begins with "a/", and "/" (2F) sorts behind
// "-" (2D) and before "0" (30). So a folder comes twice among the items of its parent: by its name
// for its own line, and by name + "/" for what lies beneath it. No other item can fall among the
// paths that begin with "a/", so sorting each folder by itself sorts the tree.
#include "datasets/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace fairwire {
namespace {

constexpr size_t kBufferBytes = 65536;

bool is_folder(int fd, const char* name, unsigned char type) {
  if (type != DT_UNKNOWN) return type == DT_DIR;
  struct stat status {};
  return ::fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

int Listing::read(int fd) {
  ::lseek(fd, 0, SEEK_SET);
  const auto buffer = std::make_unique<uint64_t[]>(kBufferBytes / 8);  // aligned for dirent64
  auto* const bytes = reinterpret_cast<char*>(buffer.get());
  while (true) {
    const ssize_t count = ::getdents64(fd, bytes, kBufferBytes);
    if (count < 0) return errno;
    if (count == 0) break;
    for (ssize_t at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const dirent64*>(bytes + at);
      add(fd, entry->d_name, entry->d_type);
      at += entry->d_reclen;
    }
  }
  sort();
  return 0;
}

Listing::Item Listing::front() const {
  const Record& record = items_[next_];
  return {std::string_view(names_.data() + record.offset, record.length), record.folder,
          record.descend};
}

void Listing::add(int fd, const char* name, unsigned char type) {
  if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) return;
  const size_t length = std::strlen(name);
  const Record record{names_.size(), static_cast<uint32_t>(length), is_folder(fd, name, type),
                      false};
  names_.append(name, length + 1);
  items_.push_back(record);
  if (record.folder) items_.push_back({record.offset, record.length, true, true});
}

void Listing::sort() {
  // The byte behind the name takes part: NUL is smaller than every byte of a name.
  const auto last = [](const Record& record) { return record.descend ? '/' : '\0'; };
  const auto before = [&](const Record& a, const Record& b) {
    const size_t common = std::min(a.length, b.length);
    const int order = std::memcmp(names_.data() + a.offset, names_.data() + b.offset, common);
    if (order != 0) return order < 0;
    const auto byte_at = [&](const Record& record) {
      return static_cast<unsigned char>(common < record.length ? names_[record.offset + common]
                                                               : last(record));
    };
    if (byte_at(a) != byte_at(b)) return byte_at(a) < byte_at(b);
    return a.length < b.length;
  };
  std::sort(items_.begin(), items_.end(), before);
  // A folder that changes while it is listed may name an entry twice.
  const auto same = [&](const Record& a, const Record& b) { return !before(a, b); };
  items_.erase(std::unique(items_.begin(), items_.end(), same), items_.end());
}

}  // namespace fairwire
