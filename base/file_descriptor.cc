#include "base/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/error.h"

namespace fairwire {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() {
  return std::exchange(fd_, -1);
}

void FileDescriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

size_t FileDescriptor::read_some(std::span<std::byte> buffer) const {
  while (true) {
    const ssize_t count = ::read(fd_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) throw_system_error("read");
  }
}

void FileDescriptor::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw_system_error("write");
    }
  }
}

FileDescriptor open_file(const std::string& path, int flags, mode_t mode) {
  return FileDescriptor(check_system(::open(path.c_str(), flags | O_CLOEXEC, mode), "open", path));
}

Pipe make_pipe() {
  int ends[2];
  check_system(::pipe2(ends, O_CLOEXEC), "pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string read_file(const std::string& path, size_t limit) {
  const FileDescriptor file = open_file(path, O_RDONLY);
  std::string content;
  std::byte buffer[65536];
  try {
    while (const size_t count = file.read_some(buffer)) {
      if (content.size() + count > limit) throw SystemError("read", path, EFBIG);
      content.append(reinterpret_cast<const char*>(buffer), count);
    }
  } catch (const SystemError& error) {
    throw SystemError("read", path, error.error_number);  // a descriptor does not know its path
  }
  return content;
}

void write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  // A name of its own length: PATH may already be as long as a name can be.
  std::string temporary = path.substr(0, path.rfind('/') + 1) + ".fairwire-XXXXXX";
  const FileDescriptor file(
      check_system(::mkostemp(temporary.data(), O_CLOEXEC), "create a file beside", path));
  try {
    check_system(::fchmod(file.get(), mode), "chmod", temporary);  // whatever the umask
    file.write_all(bytes);
    check_system(::rename(temporary.c_str(), path.c_str()), "rename " + temporary + " to", path);
  } catch (const SystemError&) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace fairwire
