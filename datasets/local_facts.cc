#include "datasets/local_facts.h"

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

namespace fairwire {
namespace {

constexpr int64_t kWindowBytes = 65'536;
constexpr char kCapability[] = "security.capability";

// Only files that occupy less than their size are looked at closer: the others cost nothing.
std::optional<int64_t> data_bytes(int fd, const struct stat& status) {
  const int64_t size = status.st_size;
  if (int64_t{512} * status.st_blocks >= size) return std::nullopt;
  int64_t sum = 0;
  int64_t counted_to = 0;
  for (int64_t at = 0; at < size;) {
    const int64_t data = ::lseek(fd, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // nothing but a hole from here on
    const int64_t hole = data < 0 ? -1 : ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return std::nullopt;  // this file system cannot tell
    const int64_t begin = std::max(data / kWindowBytes * kWindowBytes, counted_to);
    counted_to = std::min((hole + kWindowBytes - 1) / kWindowBytes * kWindowBytes, size);
    sum += std::max<int64_t>(counted_to - begin, 0);
    at = hole;
  }
  ::lseek(fd, 0, SEEK_SET);
  if (sum >= size) return std::nullopt;
  return sum;
}

// The size may grow between the two calls; then it is asked again.
template <typename Ask>
int read_growing(std::string& bytes, const Ask& ask) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const ssize_t size = ask(nullptr, 0);
    if (size < 0) return errno;
    bytes.resize(static_cast<size_t>(size));
    if (size == 0) return 0;
    const ssize_t count = ask(bytes.data(), bytes.size());
    if (count < 0 && errno == ERANGE) continue;
    if (count < 0) return errno;
    bytes.resize(static_cast<size_t>(count));
    return 0;
  }
  return EAGAIN;
}

int read_value(int fd, const std::string& name, std::string& value) {
  return read_growing(
      value, [&](char* out, size_t room) { return ::fgetxattr(fd, name.c_str(), out, room); });
}

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  for (size_t at = 0; at < list.size(); at += names.back().size() + 1) {
    names.emplace_back(list.c_str() + at);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void add_attribute(Sha256& hash, const std::string& name, const std::string& value) {
  std::string number(8, '\0');
  for (size_t i = 0; i < 8; ++i) number[7 - i] = static_cast<char>(value.size() >> (8 * i));
  hash.update(name + '\0' + number);
  hash.update(value);
}

}  // namespace

int read_local_facts(int fd, const struct stat& status, LocalFacts& facts) {
  if (S_ISREG(status.st_mode)) facts.data_bytes = data_bytes(fd, status);
  std::string list;
  const auto ask = [fd](char* out, size_t room) { return ::flistxattr(fd, out, room); };
  const int unlisted = read_growing(list, ask);
  if (unlisted == ENOTSUP || unlisted == ENOSYS) return 0;
  if (unlisted != 0) return unlisted;
  Sha256 user;
  bool any = false;
  std::string value;
  for (const std::string& name : names_of(list)) {
    const bool capability = name == kCapability && S_ISREG(status.st_mode) && ::geteuid() == 0;
    if (!name.starts_with("user.") && !capability) continue;
    if (const int error = read_value(fd, name, value); error != 0) return error;
    if (capability) {
      facts.capability = sha256(value);
    } else {
      add_attribute(user, name, value);
      any = true;
    }
  }
  if (any) facts.xattrs = user.finish();
  return 0;
}

}  // namespace fairwire
