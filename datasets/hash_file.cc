#include "datasets/hash_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file_descriptor.h"
#include "datasets/local_facts.h"
#include "datasets/path.h"

namespace fairwire {
namespace {

const char kChanged[] = "changed while it was read";

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// ctime too: a tool that sets mtime back does not hide a change.
bool same_state(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         same_time(a.st_mtim, b.st_mtim) && same_time(a.st_ctim, b.st_ctim);
}

bool still(const FileDescriptor& file, const struct stat& expected) {
  struct stat now {};
  return ::fstat(file.get(), &now) == 0 && S_ISREG(now.st_mode) && same_state(now, expected);
}

}  // namespace

std::string problem_text(const char* what, int error_number) {
  return std::string(what) + ": " + std::generic_category().message(error_number);
}

HashResult hash_file(int folder, const std::string& name, const struct stat& expected,
                     std::span<std::byte> scratch, std::atomic<int64_t>& hashed_bytes) {
  const FileDescriptor file(open_quietly(folder, name.c_str(), O_RDONLY));
  if (!file.is_open()) return {std::nullopt, problem_text("cannot be opened", errno)};
  if (!still(file, expected)) return {std::nullopt, kChanged};
  LocalFacts local;
  if (const int error = read_local_facts(file.get(), expected, local); error != 0) {
    return {std::nullopt, problem_text("has attributes that cannot be read", error)};
  }
  Sha256 hash;
  for (int64_t done = 0; done < expected.st_size;) {
    const ssize_t count = ::read(file.get(), scratch.data(), scratch.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {std::nullopt, problem_text("cannot be read", errno)};
    if (count == 0) return {std::nullopt, kChanged};
    hash.update(scratch.first(static_cast<size_t>(count)));
    done += count;
    hashed_bytes.fetch_add(count, std::memory_order_relaxed);
  }
  if (!still(file, expected)) return {std::nullopt, kChanged};
  return {hash.finish(), {}, local};
}

}  // namespace fairwire
