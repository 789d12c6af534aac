#include "reference/transfer/landing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <set>

#include "reference/say.h"
#include "reference/tree.h"

namespace fairsync {
namespace {

constexpr size_t kManyFiles = 64;  // from here one syncfs costs less than an fsync each
constexpr uint64_t kBatchBytes = uint64_t{64} << 20;
constexpr std::chrono::milliseconds kBatchWait(100);

void make_staging(int root) {
  const std::string name(kStagingName);
  remove_beneath(root, name);  // of a transfer that was killed
  check_system(::mkdirat(root, name.c_str(), 0700), "make", name);
}

FileDescriptor open_staging(int root) {
  make_staging(root);
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return FileDescriptor(
      check_system(::openat(root, kStagingName.data(), flags), "open", kStagingName));
}

// A directory under the final name has to go first; files and symlinks are replaced in one step.
void rename_into(int from, const std::string& staged, int directory, const std::string& name) {
  if (::renameat(from, staged.c_str(), directory, name.c_str()) == 0) return;
  if (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST)
    throw_system_error("rename to", name);
  remove_beneath(directory, name);
  check_system(::renameat(from, staged.c_str(), directory, name.c_str()), "rename to", name);
}

}  // namespace

bool ends_everything(const SystemError& error) {
  const int number = error.error_number;
  return number == ENOSPC || number == EDQUOT || number == EROFS || number == EIO;
}

StagedFile::StagedFile(int staging, std::string name) : staging_(staging), name_(std::move(name)) {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  file_ = FileDescriptor(check_system(::openat(staging_, name_.c_str(), flags, 0600), "stage"));
}

StagedFile::~StagedFile() {
  if (!is_placed_ && ::unlinkat(staging_, name_.c_str(), 0) != 0 && errno != ENOENT) {
    say("a staged file could not be removed");
  }
}

void StagedFile::write_at(Bytes bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count > 0) {
      bytes = bytes.subspan(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    } else if (count == 0 || errno != EINTR) {
      if (count == 0) errno = ENOSPC;
      throw_system_error("write");
    }
  }
}

void StagedFile::set_attributes(const Attributes& attributes) {
  const timespec times[2] = {{0, UTIME_OMIT}, {attributes.mtime_s, attributes.mtime_ns}};
  check_system(::fchmod(file_.get(), attributes.mode), "chmod");  // writing clears setuid: after it
  check_system(::futimens(file_.get(), times), "set the time");
}

void StagedFile::sync() {
  check_system(::fsync(file_.get()), "fsync");
}

void StagedFile::close() {
  const int fd = file_.release();
  if (fd >= 0) check_system(::close(fd), "close");
}

Landing::Landing(Directories& directories, Wanted& wanted, Durable durable)
    : directories_(directories),
      wanted_(wanted),
      durable_(durable),
      staging_(open_staging(directories.root())) {}

Landing::~Landing() {
  ready_.clear();  // while the staging folder is open
  try {
    remove_beneath(directories_.root(), std::string(kStagingName));
  } catch (const std::exception& error) {
    say(std::string("the staging folder stays until the next transfer: ") + error.what());
  }
}

std::unique_ptr<StagedFile> Landing::stage() {
  return std::make_unique<StagedFile>(staging_.get(), std::to_string(next_name_++));
}

void Landing::land(EntryId id, std::unique_ptr<StagedFile> file, const Attributes& attributes,
                   uint64_t size) {
  try {
    file->set_attributes(attributes);
    if (durable_ == Durable::each) file->sync();
    // `batch` keeps big files open for their fsync, whose errors then concern this descriptor.
    if (durable_ != Durable::batch || size <= kMaxBundledSize) file->close();
  } catch (const SystemError& error) {
    return fail(id, error);
  }
  if (durable_ == Durable::batch) {
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back({id, size, std::move(file)});
      ready_bytes_ += size;
    }
    return more_.notify_one();
  }
  if (!place(id, *file)) return;
  if (durable_ == Durable::each) {
    if (const auto wanted = wanted_.find(id)) {
      check_system(::fsync(directories_.open(wanted->parent)->get()), "fsync a folder");
    }
  }
  wanted_.resolve(id, Fate::landed);
}

void Landing::land_symlink(int directory, const Entry& entry) {
  const std::string staged = std::to_string(next_name_++);
  check_system(::symlinkat(entry.target.c_str(), staging_.get(), staged.c_str()), "make symlink",
               entry.name);
  const Attributes& attributes = entry.attributes;
  const timespec times[2] = {{0, UTIME_OMIT}, {attributes.mtime_s, attributes.mtime_ns}};
  check_system(::utimensat(staging_.get(), staged.c_str(), times, AT_SYMLINK_NOFOLLOW),
               "set the time of", entry.name);
  rename_into(staging_.get(), staged, directory, entry.name);
}

void Landing::run_batches(const std::stop_token& stop) {
  if (durable_ != Durable::batch) return;
  while (true) {
    std::unique_lock lock(mutex_);
    if (!more_.wait(lock, stop, [this] { return !ready_.empty(); })) return;
    // What waits for a barrier gathers while the barrier before it runs. With little to do, more is
    // waited for, unless nothing else is on its way.
    more_.wait_for(lock, stop, kBatchWait, [this] {
      return ready_.size() >= kManyFiles || ready_bytes_ >= kBatchBytes ||
             wanted_.pending() <= ready_.size();
    });
    if (stop.stop_requested()) return;
    std::deque<Ready> batch = std::move(ready_);
    ready_.clear();
    ready_bytes_ = 0;
    lock.unlock();
    land_batch(std::move(batch));
  }
}

void Landing::land_batch(std::deque<Ready> batch) {
  if (!sync_data(batch)) return;
  std::deque<Ready> placed;
  for (Ready& ready : batch) {
    if (place(ready.id, *ready.file)) placed.push_back(std::move(ready));
  }
  sync_names(placed);
  for (const Ready& ready : placed) wanted_.resolve(ready.id, Fate::landed);
}

// After an error nobody knows which bytes were dropped: the whole batch has failed.
bool Landing::sync_data(std::deque<Ready>& batch) {
  try {
    if (batch.size() >= kManyFiles) {
      check_system(::syncfs(staging_.get()), "syncfs");
    } else {
      for (Ready& ready : batch) {
        const FileDescriptor file(check_system(
            ::openat(staging_.get(), ready.file->name().c_str(), O_RDWR | O_CLOEXEC), "open"));
        check_system(::fsync(file.get()), "fsync");
      }
    }
    for (Ready& ready : batch) ready.file->close();
    return true;
  } catch (const SystemError& error) {
    for (Ready& ready : batch) {
      ready.file.reset();
      fail(ready.id, error);
    }
    return false;
  }
}

void Landing::sync_names(const std::deque<Ready>& batch) {
  if (batch.size() >= kManyFiles) {
    check_system(::syncfs(staging_.get()), "syncfs");
    return;
  }
  std::set<EntryId> folders;
  for (const Ready& ready : batch) {
    if (const auto wanted = wanted_.find(ready.id)) folders.insert(wanted->parent);
  }
  for (const EntryId folder : folders) {
    check_system(::fsync(directories_.open(folder)->get()), "fsync a folder");
  }
}

bool Landing::place(EntryId id, StagedFile& file) {
  const std::optional<WantedFile> wanted = wanted_.find(id);
  if (!wanted) return false;
  try {
    const SharedDescriptor directory = directories_.open(wanted->parent);
    rename_into(staging_.get(), file.name(), directory->get(), wanted->name);
    file.forget();
    return true;
  } catch (const SystemError& error) {
    fail(id, error);
    return false;
  }
}

void Landing::fail(EntryId id, const SystemError& error) {
  if (const auto wanted = wanted_.find(id)) {
    say(directories_.path(wanted->parent, wanted->name) + ": " + error.what());
  }
  wanted_.resolve(id, Fate::failed);
  if (ends_everything(error)) throw error;
}

void Landing::remove_staging() {
  remove_beneath(directories_.root(), std::string(kStagingName));
}

void Landing::sync_all() {
  if (durable_ != Durable::none) check_system(::syncfs(directories_.root()), "syncfs");
}

}  // namespace fairsync
