#include "reference/directories.h"

#include <fcntl.h>

#include <vector>

namespace fairsync {
namespace {

constexpr size_t kOpenAtOnce = 128;
constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Directories::Directories(FileDescriptor root)
    : root_(std::make_shared<const FileDescriptor>(std::move(root))) {}

void Directories::add(EntryId id, EntryId parent, std::string name) {
  const std::lock_guard lock(mutex_);
  places_.emplace(id, Place{parent, std::move(name)});
}

SharedDescriptor Directories::open(EntryId id) {
  const std::lock_guard lock(mutex_);
  std::vector<EntryId> missing;
  SharedDescriptor current = cached(id);
  while (!current) {
    missing.push_back(id);
    id = place(id).parent;
    current = cached(id);
  }
  for (; !missing.empty(); missing.pop_back()) {
    const std::string& name = place(missing.back()).name;
    FileDescriptor next(
        check_system(::openat(current->get(), name.c_str(), kFlags), "open directory", name));
    current = std::make_shared<const FileDescriptor>(std::move(next));
    remember(missing.back(), current);
  }
  return current;
}

std::string Directories::path(EntryId id, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<const std::string*> parts;
  for (; id != kRootId; id = place(id).parent) parts.push_back(&place(id).name);
  std::string path;
  for (; !parts.empty(); parts.pop_back()) path += *parts.back() + "/";
  path += name;
  return path.empty() ? "." : path;
}

const Directories::Place& Directories::place(EntryId id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) throw ProtocolError("an entry in something that is no directory");
  return found->second;
}

SharedDescriptor Directories::cached(EntryId id) {
  if (id == kRootId) return root_;
  const auto found = index_.find(id);
  if (found == index_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

void Directories::remember(EntryId id, SharedDescriptor descriptor) {
  recent_.emplace_front(id, std::move(descriptor));
  index_[id] = recent_.begin();
  if (recent_.size() <= kOpenAtOnce) return;
  index_.erase(recent_.back().first);
  recent_.pop_back();
}

}  // namespace fairsync
