#include "datasets/file_edit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"

namespace fairwire {
namespace {

constexpr int64_t kPieceBytes = int64_t{1} << 20;  // a multiple of 8: pieces draw like one fill

FileDescriptor open_for_edit(int folder, const std::string& name, const std::string& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  struct stat status {};
  check_system(::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW), "look at", path);
  if (!S_ISREG(status.st_mode)) throw SystemError("edit", path + " (not a regular file)", EINVAL);
  return FileDescriptor(check_system(::openat(folder, name.c_str(), kFlags), "open", path));
}

}  // namespace

FileEdit::FileEdit(int folder, const std::string& name, std::string path)
    : path_(std::move(path)), fd_(open_for_edit(folder, name, path_)) {
  struct stat status {};
  check_system(::fstat(fd_.get(), &status), "look at", path_);
  size_ = status.st_size;
  mtime_s_ = status.st_mtim.tv_sec;
  mtime_ns_ = status.st_mtim.tv_nsec;
}

void FileEdit::insert(int64_t offset, int64_t bytes, Rng& rng) {
  scratch_.resize(static_cast<size_t>(kPieceBytes));
  for (int64_t end = size_; end > offset;) {  // from behind, so that nothing is overwritten unread
    const int64_t begin = std::max(offset, end - kPieceBytes);
    const auto piece = std::span(scratch_).first(static_cast<size_t>(end - begin));
    read_at(piece, begin);
    write_at(piece, begin + bytes);
    end = begin;
  }
  size_ += bytes;
  overwrite(offset, bytes, rng);
}

void FileEdit::overwrite(int64_t offset, int64_t bytes, Rng& rng) {
  scratch_.resize(static_cast<size_t>(kPieceBytes));
  for (int64_t done = 0; done < bytes; done += kPieceBytes) {
    const auto piece =
        std::span(scratch_).first(static_cast<size_t>(std::min(kPieceBytes, bytes - done)));
    rng.fill(piece);
    write_at(piece, offset + done);
  }
}

void FileEdit::set_time() {
  const timespec time{mtime_s_ + kMutationStepSeconds, mtime_ns_};
  const timespec times[2] = {time, time};
  check_system(::futimens(fd_.get(), times), "set the time of", path_);
}

void FileEdit::read_at(std::span<std::byte> out, int64_t offset) {
  while (!out.empty()) {
    const ssize_t count = ::pread(fd_.get(), out.data(), out.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    check_system(count, "read", path_);
    if (count == 0) throw SystemError("read", path_ + " (it became shorter)", EIO);
    out = out.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

void FileEdit::write_at(std::span<const std::byte> bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd_.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    check_system(count, "write", path_);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

}  // namespace fairwire
