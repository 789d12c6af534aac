#include "reference/transfer/worker.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "reference/say.h"
#include "reference/tree.h"

namespace fairsync {
namespace {

// O_NONBLOCK: a FIFO that took the file's place must not hold us up.
constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr size_t kBundleBytes = kDataLimit - 4 - kMaxBundleFiles * kBundleRow;
constexpr int kAttempts = 2;

struct stat status_of(int fd) {
  struct stat status {};
  check_system(::fstat(fd, &status), "stat");
  return status;
}

bool is_unchanged(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

uint64_t size_of(const struct stat& status) {
  return static_cast<uint64_t>(status.st_size);
}

}  // namespace

void Sender::Worker::run() {
  const std::stop_token stop = sender_.session_.token();
  while (const std::optional<SendJob> job = sender_.queue_.next(stop)) {
    if (job->file) {
      send_piece(*job->file, job->piece);
    } else {
      send_group(job->wants);
    }
  }
}

void Sender::Worker::send_group(const std::vector<SizedWant>& wants) {
  for (const SizedWant& sized : wants) answer(sized.want);
  flush_bundle();
  if (same_.empty()) return;
  control_.clear();
  put_same(control_, same_);
  sender_.session_.control().send(control_);
  same_.clear();
}

void Sender::Worker::answer(const Want& want) {
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    try {
      Opened opened = open(want.id);
      if (!S_ISREG(opened.status.st_mode)) {
        return fail(want.id, FailReason::changed, "is no longer a regular file");
      }
      if (size_of(opened.status) > kMaxFileSize) {
        return fail(want.id, FailReason::unreadable, "has more than 4 TiB");
      }
      if (attempt == 1 && want.held && is_same(opened, *want.held)) {
        same_.push_back(want.id);
        return;
      }
      if (size_of(opened.status) > kMaxBundledSize) {
        return start_pieces(want.id, std::move(opened), 1);
      }
      if (bundle_file(want.id, opened)) return;
    } catch (const SystemError& error) {
      const bool is_gone = error.error_number == ENOENT || error.error_number == ENOTDIR ||
                           error.error_number == ELOOP;
      const FailReason reason = is_gone ? FailReason::vanished : FailReason::unreadable;
      return fail(want.id, reason, std::strerror(error.error_number));
    }
  }
  fail(want.id, FailReason::changed, "changed while it was read");
}

Sender::Worker::Opened Sender::Worker::open(EntryId id) {
  const Listed listed = sender_.listed(id);
  const SharedDescriptor directory = sender_.directories_.open(listed.parent);
  Opened opened;
  opened.file = FileDescriptor(
      check_system(::openat(directory->get(), listed.name.c_str(), kFlags), "open", listed.name));
  opened.status = status_of(opened.file.get());
  return opened;
}

bool Sender::Worker::is_same(const Opened& opened, const Held& held) {
  if (size_of(opened.status) != held.size) return false;
  const ContentDigest own = digest_of_file(opened.file.get(), held.size, buffer_);
  return own.whole && own.digest == held.digest &&
         is_unchanged(opened.status, status_of(opened.file.get()));
}

// false when the file changed meanwhile.
bool Sender::Worker::bundle_file(EntryId id, const Opened& opened) {
  const size_t size = size_of(opened.status);
  if (filled_ + size > kBundleBytes || bundle_.size() == kMaxBundleFiles) flush_bundle();
  contents_.resize(kBundleBytes);
  // One byte more than promised is asked for, to see a file that grows.
  buffer_.resize(std::max(buffer_.size(), size + 1));
  const std::span<std::byte> read(buffer_.data(), size + 1);
  if (read_at(opened.file.get(), read, 0) != size) return false;
  if (!is_unchanged(opened.status, status_of(opened.file.get()))) return false;
  const Bytes content(contents_.data() + filled_, size);
  std::memcpy(contents_.data() + filled_, buffer_.data(), size);
  filled_ += size;
  bundle_.push_back(
      {id, static_cast<uint32_t>(size), attributes_of(opened.status), digest_of(content), content});
  return true;
}

void Sender::Worker::flush_bundle() {
  if (bundle_.empty()) return;
  frame_.clear();
  put_bundle(frame_, bundle_);
  bundle_.clear();
  filled_ = 0;
  send_frame();
}

void Sender::Worker::start_pieces(EntryId id, Opened opened, uint8_t attempt) {
  auto file = std::make_shared<OutgoingFile>();
  file->id = id;
  file->attempt = attempt;
  file->before = opened.status;
  file->file = std::move(opened.file);
  file->digests.resize(piece_count(file->size()));
  file->unsent = file->digests.size();
  ::posix_fadvise(file->file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  sender_.queue_.add_file(std::move(file));
}

void Sender::Worker::send_piece(OutgoingFile& file, uint64_t piece) {
  if (!file.broken.load()) {
    if (read_piece(file, piece)) {
      send_frame();
    } else {
      file.broken = true;
    }
  }
  if (file.unsent.fetch_sub(1) == 1) end_file(file);
}

bool Sender::Worker::read_piece(OutgoingFile& file, uint64_t piece) {
  Piece head{file.id, file.attempt, file.size(), piece * piece_size(file.size()), {}, {}};
  frame_.clear();
  begin_piece(frame_, head);
  const std::span<std::byte> part = frame_.room(piece_length(file.size(), head.offset));
  try {
    if (read_at(file.file.get(), part, head.offset) != part.size()) return false;
  } catch (const SystemError&) {
    return false;
  }
  file.digests[piece] = digest_of(part);
  frame_.put_digest_at(kFrameHeader + kPieceHead - sizeof(Digest), file.digests[piece]);
  frame_.end();
  return true;
}

void Sender::Worker::end_file(OutgoingFile& file) {
  const struct stat after = status_of(file.file.get());
  control_.clear();
  if (!file.broken.load() && is_unchanged(file.before, after)) {
    put_file_end(control_, {file.id, file.attempt, file.size(), attributes_of(file.before),
                            digest_of_pieces(file.digests)});
    return sender_.session_.control().send(control_);
  }
  put_file_dropped(control_, {file.id, file.attempt});
  sender_.session_.control().send(control_);
  if (file.attempt == kAttempts) {
    return fail(file.id, FailReason::changed, "changed while it was read, twice");
  }
  try {
    Opened opened = open(file.id);
    if (!S_ISREG(opened.status.st_mode)) {
      return fail(file.id, FailReason::changed, "is no longer a regular file");
    }
    if (size_of(opened.status) > kMaxFileSize) {
      return fail(file.id, FailReason::unreadable, "has more than 4 TiB");
    }
    if (size_of(opened.status) > kMaxBundledSize) {
      return start_pieces(file.id, std::move(opened), kAttempts);
    }
    const bool is_whole = bundle_file(file.id, opened);
    flush_bundle();
    if (!is_whole) fail(file.id, FailReason::changed, "changed while it was read, twice");
  } catch (const SystemError& error) {
    fail(file.id, FailReason::vanished, std::strerror(error.error_number));
  }
}

void Sender::Worker::fail(EntryId id, FailReason reason, const std::string& text) {
  const Listed listed = sender_.listed(id);
  say(sender_.directories_.path(listed.parent, listed.name) + ": " + text);
  control_.clear();
  put_file_failed(control_, {id, reason, text});
  sender_.session_.control().send(control_);
}

void Sender::Worker::send_frame() {
  if (sender_.credit_.take(frame_.size(), sender_.session_.token())) data_.send(frame_);
}

}  // namespace fairsync
