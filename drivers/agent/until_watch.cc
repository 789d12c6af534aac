#include "drivers/agent/until_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/file_descriptor.h"

namespace fairwire {
namespace {

constexpr size_t kKeptBytes = 4096;
constexpr size_t kPieceBytes = 64 << 10;

int64_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

}  // namespace

UntilWatch::UntilWatch(const Until& until, const std::vector<std::string>& files, Meter& meter)
    : until_(until), pattern_(until.output), meter_(meter), answered_before_(meter.answered()) {
  for (const std::string& file : files) words_.push_back({file, size_of(file), {}});
}

bool UntilWatch::seen() {
  if (until_.answered && meter_.answered() > answered_before_) return true;
  if (until_.output.empty()) return false;
  return std::ranges::any_of(words_, [this](Words& words) { return matches(words); });
}

bool UntilWatch::matches(Words& words) const {
  const FileDescriptor file(::open(words.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return false;
  std::string piece(kPieceBytes, '\0');
  while (true) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), words.offset);
    if (got <= 0) return false;
    words.offset += got;
    words.unmatched.append(piece, 0, static_cast<size_t>(got));
    std::ranges::replace(words.unmatched, '\0', ' ');  // it would end the text for regexec
    if (::regexec(&pattern_.get(), words.unmatched.c_str(), 0, nullptr, 0) == 0) return true;
    const size_t size = words.unmatched.size();
    words.unmatched.erase(0, size - std::min(size, kKeptBytes));
  }
}

}  // namespace fairwire
