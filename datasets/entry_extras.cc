#include "datasets/entry_extras.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "datasets/path_json.h"

namespace fairwire {
namespace {

constexpr int64_t kLargestId = (int64_t{1} << 32) - 2;
constexpr int64_t kLargestSecond = int64_t{1} << 36;  // some two thousand years around 1970
constexpr size_t kMaximumAttributes = 16;
constexpr size_t kMaximumNameBytes = 255;
constexpr size_t kMaximumValueBytes = 1024;

std::vector<JsonView> pair_of(const JsonView& view, const char* what) {
  auto items = view.items();
  if (items.size() != 2) view.fail(what);
  return items;
}

std::pair<std::string, std::string> attribute_of(const JsonView& view, const std::string& escaped) {
  const auto name = unescape_name(escaped);
  if (!name || escape_name(*name) != escaped) view.fail("its name is not an escaped name");
  if (!name->starts_with("user.") || name->size() == 5) view.fail("must begin with \"user.\"");
  if (name->size() > kMaximumNameBytes) view.fail("has a name of more than 255 bytes");
  if (name->find('\0') != std::string::npos) view.fail("has a NUL in its name");
  std::string value = name_bytes_of(view);
  if (value.size() > kMaximumValueBytes) view.fail("must have at most 1024 bytes");
  return {*name, std::move(value)};
}

}  // namespace

EntryExtras entry_extras_of(const JsonView& entry) {
  EntryExtras extras;
  if (const auto owner = entry.find("owner")) {
    const auto ids = pair_of(*owner, "must be [uid, gid]");
    extras.owner = {ids[0].as_int(0, kLargestId), ids[1].as_int(0, kLargestId)};
  }
  if (const auto mtime = entry.find("mtime")) {
    const auto parts = pair_of(*mtime, "must be [seconds, nanoseconds]");
    extras.mtime = {parts[0].as_int(-kLargestSecond, kLargestSecond),
                    parts[1].as_int(0, 999'999'999)};
  }
  if (const auto xattrs = entry.find("xattrs")) {
    const auto members = xattrs->members();
    if (members.empty() || members.size() > kMaximumAttributes) {
      xattrs->fail("must hold 1 to 16 attributes");
    }
    for (const auto& [name, view] : members) extras.xattrs.push_back(attribute_of(view, name));
  }
  return extras;
}

void set_owner(int folder, const std::string& name, const EntryExtras& extras) {
  if (!extras.owner || ::geteuid() != 0) return;
  const int flags = AT_SYMLINK_NOFOLLOW | (name.empty() ? AT_EMPTY_PATH : 0);
  check_system(::fchownat(folder, name.c_str(), static_cast<uid_t>(extras.owner->uid),
                          static_cast<gid_t>(extras.owner->gid), flags),
               "set the owner of", name);
}

void set_attributes(int fd, const std::string& path, const EntryExtras& extras) {
  for (const auto& [name, value] : extras.xattrs) {
    const int result = ::fsetxattr(fd, name.c_str(), value.data(), value.size(), 0);
    if (result != 0 && errno == ENOTSUP) return;
    check_system(result, "set an attribute of", path);
  }
}

}  // namespace fairwire
