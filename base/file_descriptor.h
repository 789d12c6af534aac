// A file descriptor as an object, and the few whole-file helpers everybody needs.
// Invariant: a FileDescriptor closes what it holds exactly once; sizes read from outside are
// bounded by the caller before they are believed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fairwire {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release();
  void close();  ///< Ignores errors: whoever needs durability calls fsync before.

  /// Reads at most `buffer.size()` bytes; 0 is end of file. Retries EINTR. Throws SystemError.
  size_t read_some(std::span<std::byte> buffer) const;
  /// Writes everything. Throws SystemError.
  void write_all(std::string_view bytes) const;

 private:
  int fd_ = -1;
};

/// Opens with O_CLOEXEC added. Throws SystemError naming the path.
FileDescriptor open_file(const std::string& path, int flags, mode_t mode = 0666);

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};
/// Both ends close-on-exec.
Pipe make_pipe();

/// The whole file, refused with SystemError{EFBIG} when it holds more than `limit` bytes.
std::string read_file(const std::string& path, size_t limit);

/// Creates or replaces a file by writing a sibling and renaming it: readers see all or nothing.
void write_file(const std::string& path, std::string_view bytes, mode_t mode = 0644);

}  // namespace fairwire
