#include "datasets/generate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "datasets/entry_extras.h"
#include "datasets/file_maker.h"
#include "datasets/path.h"

namespace fairwire {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr uint64_t kGoldenStep = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

struct Folder {
  unsigned mode = 0;
  int64_t number = 0;
  const EntryExtras* extras = nullptr;
};

class Generator {
 public:
  Generator(const DatasetSpec& spec, uint64_t seed, const std::string& path,
            const ProgressFunction& progress, unsigned threads)
      : spec_(spec), seed_(seed), progress_(progress), root_(make_root(path)), maker_(threads) {}

  GeneratedTree run() {
    for (size_t i = 0; i < spec_.groups.size(); ++i) make_group(i);
    for (const SpecialEntry& entry : spec_.entries) make_entry(entry);
    maker_.wait();
    // Deepest first: a folder's mode may forbid to enter it.
    for (auto it = folders_.rbegin(); it != folders_.rend(); ++it) {
      finish_folder(it->first, it->second);
    }
    finish(root_.get(), "the root", spec_.directory_mode, 0, {});
    if (progress_) progress_(made_.bytes, made_.files);
    return made_;
  }

 private:
  static FileDescriptor make_root(const std::string& path) {
    check_system(::mkdir(path.c_str(), 0700), "make directory", path);
    return open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }

  void make_group(size_t number) {
    const FileGroup& group = spec_.groups[number];
    for (int64_t i = 0; i < group.count; ++i) {
      const bool is_copy = group.copy_every > 0 && i % group.copy_every == group.copy_every - 1;
      const int64_t original = is_copy ? i - (group.copy_every - 1) : i;
      make_file(group_path(group, i), drawn_size(group, number, seed_, original), group.content,
                content_seed(seed_, group_path(group, original)), spec_.file_mode, {});
    }
  }

  void make_file(const std::string& path, int64_t size, Content content, uint64_t file_seed,
                 unsigned mode, const EntryExtras& extras) {
    FilePlan plan;
    plan.folder = folder_of(path);
    plan.name = base_name(path);
    plan.size = size;
    plan.content = content;
    plan.content_seed = file_seed;
    plan.mode = mode;
    plan.extras = extras;
    const timespec time = time_of(++last_number_, extras);
    plan.mtime_s = time.tv_sec;
    plan.mtime_ns = time.tv_nsec;
    maker_.make(std::move(plan));
    made_.bytes += size;
    made_.files += 1;
    tell_progress();
  }

  void make_entry(const SpecialEntry& entry) {
    switch (entry.kind) {
      case SpecialEntry::Kind::directory:
        make_folder(entry.path);
        folders_.at(entry.path).mode = entry.mode.value_or(spec_.directory_mode);
        folders_.at(entry.path).extras = &entry.extras;
        return;
      case SpecialEntry::Kind::file:
        return make_file(entry.path, entry.size, entry.content, content_seed(seed_, entry.path),
                         entry.mode.value_or(spec_.file_mode), entry.extras);
      case SpecialEntry::Kind::hardlink:
        return make_hard_link(entry);
      case SpecialEntry::Kind::symlink:
        return make_symlink(entry);
      case SpecialEntry::Kind::fifo:
        return make_fifo(entry);
    }
  }

  void make_hard_link(const SpecialEntry& entry) {
    maker_.wait();  // the target may still be in the queue
    const auto folder = folder_of(entry.path);
    const auto from = open_directory_beneath(root_.get(), parent_path(entry.target));
    check_system(::linkat(from.get(), std::string(base_name(entry.target)).c_str(), folder->get(),
                          std::string(base_name(entry.path)).c_str(), 0),
                 "link", entry.path);
    made_.files += 1;
  }

  void make_symlink(const SpecialEntry& entry) {
    const auto folder = folder_of(entry.path);
    const std::string name(base_name(entry.path));
    check_system(::symlinkat(entry.target.c_str(), folder->get(), name.c_str()), "link",
                 entry.path);
    set_owner(folder->get(), name, entry.extras);
    set_time(folder->get(), name, time_of(++last_number_, entry.extras));
  }

  void make_fifo(const SpecialEntry& entry) {
    const auto folder = folder_of(entry.path);
    const std::string name(base_name(entry.path));
    check_system(::mkfifoat(folder->get(), name.c_str(), 0600), "make FIFO", entry.path);
    set_owner(folder->get(), name, entry.extras);
    check_system(::fchmodat(folder->get(), name.c_str(), entry.mode.value_or(spec_.file_mode), 0),
                 "set the mode of", entry.path);
    set_time(folder->get(), name, time_of(++last_number_, entry.extras));
  }

  // The open folder of `path`, made when it is not there. Files come folder by folder, so the last
  // one is kept.
  std::shared_ptr<const FileDescriptor> folder_of(const std::string& path) {
    const std::string_view parent = parent_path(path);
    if (!last_folder_ || parent != last_folder_path_) {
      make_folder(parent);
      last_folder_ = std::make_shared<FileDescriptor>(open_directory_beneath(root_.get(), parent));
      last_folder_path_ = parent;
    }
    return last_folder_;
  }

  void make_folder(std::string_view path) {
    if (path.empty() || folders_.contains(path)) return;
    FileDescriptor above = open_directory_beneath(root_.get(), "");
    for (size_t begin = 0; begin < path.size();) {
      const size_t end = std::min(path.find('/', begin), path.size());
      above = make_level(above.get(), path.substr(0, end), path.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  FileDescriptor make_level(int above, std::string_view path, std::string_view part) {
    const std::string name(part);
    if (!folders_.contains(path)) {
      check_system(::mkdirat(above, name.c_str(), 0700), "make directory", path);
      folders_.emplace(path, Folder{spec_.directory_mode, ++last_number_});
    }
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    return FileDescriptor(check_system(::openat(above, name.c_str(), kFlags), "open", path));
  }

  void finish_folder(const std::string& path, const Folder& folder) {
    const auto fd = open_directory_beneath(root_.get(), path);
    finish(fd.get(), path, folder.mode, folder.number,
           folder.extras == nullptr ? EntryExtras() : *folder.extras);
  }

  void finish(int fd, const std::string& path, unsigned mode, int64_t number,
              const EntryExtras& extras) const {
    const timespec time = time_of(number, extras);
    const timespec times[2] = {time, time};
    set_attributes(fd, path, extras);
    set_owner(fd, "", extras);
    check_system(::futimens(fd, times), "set the time of", path);
    check_system(::fchmod(fd, mode), "set the mode of", path);
  }

  static void set_time(int folder, const std::string& name, const timespec& time) {
    const timespec times[2] = {time, time};
    check_system(::utimensat(folder, name.c_str(), times, AT_SYMLINK_NOFOLLOW), "set the time of",
                 name);
  }

  timespec time_of(int64_t number, const EntryExtras& extras) const {
    if (extras.mtime) return {extras.mtime->seconds, extras.mtime->nanoseconds};
    return {spec_.first_mtime_s + number, number % 1'000'000'000};
  }

  void tell_progress() {
    constexpr Nanoseconds kStep = std::chrono::milliseconds(100);
    if (!progress_ || monotonic_now() - told_ < kStep) return;
    told_ = monotonic_now();
    progress_(maker_.bytes_done(), made_.files);
  }

  const DatasetSpec& spec_;
  const uint64_t seed_;
  const ProgressFunction& progress_;
  const FileDescriptor root_;
  std::map<std::string, Folder, std::less<>> folders_;  // made so far, by path
  std::shared_ptr<const FileDescriptor> last_folder_;
  std::string last_folder_path_;
  int64_t last_number_ = 0;
  GeneratedTree made_;
  Nanoseconds told_{0};
  FileMaker maker_;  // the last member: its threads end first
};

}  // namespace

int64_t drawn_size(const FileGroup& group, size_t group_number, uint64_t seed, int64_t index) {
  const std::vector<int64_t>& sizes = group.size_quantiles;
  if (sizes.size() == 1) return sizes.front();
  const std::string name = "sizes of group " + std::to_string(group_number);
  const uint64_t position = derive_seed(seed, name) + static_cast<uint64_t>(index) * kGoldenStep;
  const Uint128 scaled = static_cast<Uint128>(position) * (sizes.size() - 1);
  const auto cell = static_cast<size_t>(scaled >> 64);
  const auto within = static_cast<uint64_t>(scaled);
  const auto span = static_cast<uint64_t>(sizes[cell + 1] - sizes[cell]);
  return sizes[cell] + static_cast<int64_t>(static_cast<Uint128>(span) * within >> 64);
}

GeneratedTree generate_dataset(const DatasetSpec& spec, uint64_t seed, const std::string& path,
                               const ProgressFunction& progress, unsigned threads) {
  return Generator(spec, seed, path, progress, threads).run();
}

}  // namespace fairwire
