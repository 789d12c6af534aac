#include "datasets/file_maker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "datasets/entry_extras.h"

namespace fairwire {
namespace {

constexpr int64_t kRangeBytes = 8 * kContentBlockBytes;  // of a big file: one job
constexpr size_t kQueueLimit = 64;                       // each job may hold a folder open

void write_at(int fd, std::span<const std::byte> bytes, int64_t offset, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    check_system(count, "write", name);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

}  // namespace

struct FileMaker::OpenFile {
  explicit OpenFile(FilePlan plan_in)
      : plan(std::move(plan_in)),
        fd(check_system(::openat(plan.folder->get(), plan.name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600),
                        "create", plan.name)) {}

  void set_size() const {
    if (plan.size > 0) check_system(::ftruncate(fd.get(), plan.size), "set the size of", plan.name);
  }
  void finish() const {
    set_owner(fd.get(), "", plan.extras);  // before the mode: a new owner clears setuid
    check_system(::fchmod(fd.get(), plan.mode), "set the mode of", plan.name);
    set_attributes(fd.get(), plan.name, plan.extras);
    const timespec times[2] = {{plan.mtime_s, plan.mtime_ns}, {plan.mtime_s, plan.mtime_ns}};
    check_system(::futimens(fd.get(), times), "set the time of", plan.name);
  }

  FilePlan plan;
  FileDescriptor fd;
  std::atomic<int64_t> ranges_left = 0;
};

FileMaker::FileMaker(unsigned threads)
    : pool_(threads, kQueueLimit, static_cast<size_t>(kContentBlockBytes)) {}

void FileMaker::make(FilePlan plan) {
  const bool holes = plan.content == Content::zeros || plan.content == Content::sparse;
  if (plan.size > kRangeBytes && !holes) return make_big(std::move(plan));
  auto shared = std::make_shared<FilePlan>(std::move(plan));
  pool_.submit([this, shared](std::span<std::byte> scratch) {
    write_all(OpenFile(std::move(*shared)), scratch);
  });
}

void FileMaker::make_big(FilePlan plan) {
  const auto file = std::make_shared<OpenFile>(std::move(plan));
  file->set_size();
  const int64_t size = file->plan.size;
  file->ranges_left = (size + kRangeBytes - 1) / kRangeBytes;
  for (int64_t begin = 0; begin < size; begin += kRangeBytes) {
    const int64_t end = std::min(begin + kRangeBytes, size);
    pool_.submit([this, file, begin, end](std::span<std::byte> scratch) {
      write_range(*file, begin, end, scratch);
      if (--file->ranges_left == 0) file->finish();
    });
  }
}

void FileMaker::write_all(const OpenFile& file, std::span<std::byte> scratch) {
  if (file.plan.content == Content::zeros) {
    file.set_size();
    bytes_done_ += file.plan.size;
  } else if (file.plan.content == Content::sparse) {
    write_sparse(file, scratch);
  } else {
    write_range(file, 0, file.plan.size, scratch);
  }
  file.finish();
}

void FileMaker::write_sparse(const OpenFile& file, std::span<std::byte> scratch) {
  const int64_t size = file.plan.size;
  file.set_size();
  for (int64_t at = 0; at < size; at += kSparseStepBytes) {
    write_range(file, at, std::min(at + kSparseDataBytes, size), scratch);
  }
}

// `begin` lies at the start of a block.
void FileMaker::write_range(const OpenFile& file, int64_t begin, int64_t end,
                            std::span<std::byte> scratch) {
  const FilePlan& plan = file.plan;
  for (int64_t at = begin; at < end; at += kContentBlockBytes) {
    const auto piece = scratch.first(static_cast<size_t>(std::min(kContentBlockBytes, end - at)));
    fill_block(plan.content, plan.content_seed, at / kContentBlockBytes, piece);
    write_at(file.fd.get(), piece, at, plan.name);
    bytes_done_ += static_cast<int64_t>(piece.size());
  }
}

}  // namespace fairwire
