#include "drivers/agent/agent_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "drivers/agent/agent_messages.h"
#include "drivers/agent/agent_protocol.h"
#include "drivers/subprocess.h"

namespace fairwire {
namespace {

constexpr int64_t kLargestFile = int64_t{1} << 62;

struct OpenFile {
  FileDescriptor fd;
  int64_t size = 0;
};

OpenFile open_regular(const std::string& path) {
  OpenFile file;
  file.fd = open_file(path, O_RDONLY | O_NONBLOCK);  // a FIFO must not hold the loop up
  struct stat status {};
  check_system(::fstat(file.fd.get(), &status), "stat", path);
  if (!S_ISREG(status.st_mode))
    throw SystemError("read", path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  file.size = status.st_size;
  return file;
}

std::string read_at(const OpenFile& file, const std::string& path, int64_t offset, int64_t length) {
  std::string bytes(static_cast<size_t>(length), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::pread(file.fd.get(), bytes.data() + filled, bytes.size() - filled,
                                  offset + static_cast<int64_t>(filled));
    if (count < 0 && errno == EINTR) continue;
    check_system(count, "read", path);
    if (count == 0) break;  // it shrank meanwhile
    filled += static_cast<size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

Digest digest_of_file(const std::string& path) {
  const FileDescriptor file = open_file(path, O_RDONLY);
  Sha256 hash;
  std::byte buffer[65536];
  while (const size_t count = file.read_some(buffer)) hash.update(std::span(buffer, count));
  return hash.finish();
}

}  // namespace

Json put_chunk(const JsonView& call) {
  call.allow_only({"id", "call", "path", "mode", "offset", "bytes", "last"});
  const std::string path = path_from(call.at("path"));
  const auto mode = static_cast<mode_t>(call.at("mode").as_int(0, 07777));
  const int64_t offset = call.at("offset").as_int(0, kLargestFile);
  const bool last = call.at("last").as_bool();
  const auto bytes = from_base64(call.at("bytes").as_string());
  if (!bytes) call.at("bytes").fail("must be base64");
  if (bytes->size() > kChunkBytes) call.at("bytes").fail("must hold at most 512 KiB");

  const std::string part = path + ".part";
  const int begin = offset == 0 ? O_CREAT | O_TRUNC : 0;
  const FileDescriptor file = open_file(part, O_WRONLY | O_APPEND | O_NOFOLLOW | begin, 0600);
  struct stat status {};
  check_system(::fstat(file.get(), &status), "stat", part);
  if (status.st_size != offset) {
    throw ProtocolError("put at " + std::to_string(offset) + " of a file of " +
                        std::to_string(status.st_size) + " bytes");
  }
  file.write_all(*bytes);
  if (last) {
    check_system(::fchmod(file.get(), mode), "chmod", part);  // whatever the umask
    check_system(::rename(part.c_str(), path.c_str()), "rename", part);
  }
  return nullptr;
}

Json get_chunk(const JsonView& call) {
  call.allow_only({"id", "call", "path", "offset", "length", "last"});
  const std::string path = path_from(call.at("path"));
  OpenFile file;
  try {
    file = open_regular(path);
  } catch (const SystemError& error) {
    if (error.error_number == ENOENT || error.error_number == ENOTDIR) return nullptr;
    throw;
  }
  int64_t offset = 0;
  int64_t length = 0;
  if (const auto last = call.find("last")) {
    if (call.find("offset") || call.find("length")) last->fail("goes alone");
    length = std::min(last->as_int(0), file.size);
    offset = file.size - length;
  } else {
    offset = call.at("offset").as_int(0, kLargestFile);
    length = call.at("length").as_int(0);
  }
  length = std::min<int64_t>(length, kChunkBytes);
  return Json::object({{"size", file.size},
                       {"offset", offset},
                       {"bytes", to_base64(read_at(file, path, offset, length))}});
}

Json make_directory_call(const JsonView& call) {
  call.allow_only({"id", "call", "path"});
  const std::string path = path_from(call.at("path"));
  make_directories(path);
  struct stat status {};
  check_system(::stat(path.c_str(), &status), "stat", path);
  if (!S_ISDIR(status.st_mode)) throw SystemError("make directory", path, ENOTDIR);
  return nullptr;
}

Json sync_call(const JsonView& call) {
  call.allow_only({"id", "call", "path"});
  const std::string path = path_from(call.at("path"));
  const FileDescriptor file = open_file(path, O_RDONLY);
  const Nanoseconds begin = monotonic_now();
  check_system(::syncfs(file.get()), "sync the file system of", path);
  return int64_t{(monotonic_now() - begin).count()};
}

Json drop_caches_call() {
  try {
    ::sync();  // dirty pages are not dropped
    const FileDescriptor file = open_file("/proc/sys/vm/drop_caches", O_WRONLY);
    file.write_all("3");  // pages, dentries and inodes
    return "";
  } catch (const SystemError& error) {
    return escape_name(error.what());
  }
}

Json resolve_program_call(const JsonView& call, const std::string& path_variable) {
  call.allow_only({"id", "call", "name"});
  const std::string name = bytes_of(call.at("name"));
  try {
    const std::string path = find_program(name, path_variable);
    if (::access(path.c_str(), X_OK) != 0) return nullptr;
    return Json::object({{"path", escape_name(path)}, {"sha256", to_hex(digest_of_file(path))}});
  } catch (const SystemError& error) {
    if (error.attempt == "start") return nullptr;
    throw;
  }
}

}  // namespace fairwire
