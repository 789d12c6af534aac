#include "datasets/path.h"

#include <fcntl.h>

#include <cerrno>

#include "base/error.h"

namespace fairwire {
namespace {

std::string part_fault(std::string_view part) {
  if (part.empty()) return "has an empty part; write one \"/\" between parts";
  if (part == "." || part == "..") return "has a part \"" + std::string(part) + "\"";
  if (part.size() > kMaximumPartBytes) return "has a part of more than 255 bytes";
  return {};
}

}  // namespace

std::string path_fault(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.size() > kMaximumPathBytes) return "is longer than 1 MiB";
  if (path.front() == '/') return "is absolute; write it relative to the root of the tree";
  if (path.find('\0') != std::string_view::npos) return "holds a NUL byte";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (std::string fault = part_fault(path.substr(begin, end - begin)); !fault.empty()) {
      return fault;
    }
    begin = end + 1;
  }
  return {};
}

std::string_view parent_path(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

FileDescriptor open_directory_beneath(int root, std::string_view path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor folder(check_system(::openat(root, ".", kFlags), "open", "."));
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string part(path.substr(begin, end - begin));
    folder = FileDescriptor(
        check_system(::openat(folder.get(), part.c_str(), kFlags), "open folder", path));
    begin = end + 1;
  }
  return folder;
}

int open_quietly(int parent, const char* name, int flags) {
  flags |= O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = ::openat(parent, name, flags | O_NOATIME);
  if (fd >= 0 || errno != EPERM) return fd;
  return ::openat(parent, name, flags);
}

}  // namespace fairwire
