#include "datasets/mutate.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/rng.h"
#include "base/temp_dir.h"
#include "datasets/file_edit.h"
#include "datasets/path.h"
#include "datasets/tree_walk.h"

namespace fairwire {
namespace {

struct Target {
  std::string path;
  int64_t size = 0;
};

// Folders whose names a step changes: each gets its old time plus the step of every mutation.
class FolderTimes {
 public:
  explicit FolderTimes(int root) : root_(root) {}

  void remember(std::string_view path) {
    if (times_.contains(path)) return;
    struct stat status {};
    const auto folder = open_directory_beneath(root_, path);
    check_system(::fstat(folder.get(), &status), "look at", path);
    times_.emplace(path, status.st_mtim);
  }
  void remember_as(const std::string& made, std::string_view above) {
    times_.insert_or_assign(made, times_.find(above)->second);
  }
  void set() {
    for (const auto& [path, time] : times_) {
      const timespec later{time.tv_sec + kMutationStepSeconds, time.tv_nsec};
      const timespec both[2] = {later, later};
      const auto folder = open_directory_beneath(root_, path);
      check_system(::futimens(folder.get(), both), "set the time of", path);
    }
  }

 private:
  int root_;
  std::map<std::string, timespec, std::less<>> times_;
};

class Step {
 public:
  Step(const Mutation& mutation, uint64_t seed, const std::string& root_path, int root,
       MutationResult& result)
      : mutation_(mutation), seed_(seed), root_path_(root_path), root_(root), result_(result) {}

  void run() {
    switch (mutation_.kind) {
      case Mutation::Kind::append:
      case Mutation::Kind::prepend:
      case Mutation::Kind::insert:
        for (const Target& target : targets()) add_bytes_to(target);
        return;
      case Mutation::Kind::overwrite_blocks:
        return overwrite_blocks();
      case Mutation::Kind::rename:
        return rename();
      case Mutation::Kind::touch:
        return touch();
      case Mutation::Kind::remove:
        return remove();
    }
  }

 private:
  std::vector<Target> targets() const {
    if (mutation_.path != "*") return {{mutation_.path, size_of(mutation_.path)}};
    std::vector<Target> found;
    WalkOptions options;
    options.hash = false;
    options.threads = 1;
    walk_tree(root_path_, options, [&](const Entry& entry) {
      if (!entry.problem.empty()) throw SystemError("look at", entry.path, EIO);
      if (entry.type == EntryType::file && (entry.hard_link.empty() || removes())) {
        found.push_back({entry.path, entry.size});
      }
    });
    return found;
  }

  bool removes() const { return mutation_.kind == Mutation::Kind::remove; }

  int64_t size_of(const std::string& path) const {
    struct stat status {};
    check_system(
        ::fstatat(folder_of(path).get(), name_of(path).c_str(), &status, AT_SYMLINK_NOFOLLOW),
        "look at", path);
    return status.st_size;
  }

  FileDescriptor folder_of(std::string_view path) const {
    return open_directory_beneath(root_, parent_path(path));
  }
  static std::string name_of(std::string_view path) { return std::string(base_name(path)); }

  FileEdit edit(const std::string& path) const {
    return FileEdit(folder_of(path).get(), name_of(path), path);
  }
  Rng rng_of(const std::string& path) const { return Rng(derive_seed(seed_, "change of " + path)); }

  void add_bytes_to(const Target& target) {
    FileEdit file = edit(target.path);
    Rng rng = rng_of(target.path);
    int64_t offset = mutation_.kind == Mutation::Kind::append ? file.size() : 0;
    if (mutation_.kind == Mutation::Kind::insert) {
      offset = static_cast<int64_t>(rng.below(static_cast<uint64_t>(file.size()) + 1));
    }
    file.insert(offset, mutation_.bytes, rng);
    file.set_time();
    result_.new_bytes += mutation_.bytes;
    result_.changed_entries += 1;
  }

  int64_t blocks_of(const Target& target) const {
    return target.size / mutation_.block_bytes + (target.size % mutation_.block_bytes != 0);
  }

  // One pass over all blocks of all files: of `left` blocks still to come, `chosen` are taken.
  void overwrite_blocks() {
    const std::vector<Target> files = targets();
    int64_t left = 0;
    for (const Target& file : files) left += blocks_of(file);
    int64_t chosen = left / 1'000 * mutation_.per_thousand +
                     (left % 1'000 * mutation_.per_thousand + 999) / 1'000;
    Rng choice(seed_);
    for (const Target& file : files) {
      std::vector<int64_t> blocks;
      for (int64_t block = 0; block < blocks_of(file); ++block, --left) {
        if (choice.below(static_cast<uint64_t>(left)) >= static_cast<uint64_t>(chosen)) continue;
        blocks.push_back(block);
        --chosen;
      }
      if (!blocks.empty()) overwrite(file, blocks);
    }
  }

  void overwrite(const Target& target, const std::vector<int64_t>& blocks) {
    FileEdit file = edit(target.path);
    Rng rng = rng_of(target.path);
    for (const int64_t block : blocks) {
      const int64_t begin = block * mutation_.block_bytes;
      const int64_t bytes = std::min(mutation_.block_bytes, target.size - begin);
      file.overwrite(begin, bytes, rng);
      result_.new_bytes += bytes;
    }
    file.set_time();
    result_.changed_entries += 1;
  }

  void rename() {
    FolderTimes times(root_);
    times.remember(parent_path(mutation_.path));
    make_folders_of(mutation_.to, times);
    check_system(
        ::renameat2(folder_of(mutation_.path).get(), name_of(mutation_.path).c_str(),
                    folder_of(mutation_.to).get(), name_of(mutation_.to).c_str(), RENAME_NOREPLACE),
        "rename " + mutation_.path + " to", mutation_.to);
    times.set();
    result_.changed_entries += 1;
  }

  // Of the folders that `path` lies in, makes those that are missing.
  void make_folders_of(const std::string& path, FolderTimes& times) const {
    size_t slash = path.find('/');
    std::string existing;
    for (; slash != std::string::npos && exists(path.substr(0, slash));
         slash = path.find('/', slash + 1)) {
      existing = path.substr(0, slash);
    }
    times.remember(existing);
    for (; slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const std::string made = path.substr(0, slash);
      const FileDescriptor above = folder_of(made);
      check_system(::mkdirat(above.get(), name_of(made).c_str(), 0755), "make directory", made);
      check_system(::fchmodat(above.get(), name_of(made).c_str(), 0755, 0), "set the mode of",
                   made);
      times.remember_as(made, existing);
    }
  }

  bool exists(const std::string& path) const {
    struct stat status {};
    if (::fstatat(folder_of(path).get(), name_of(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) ==
        0) {
      return true;
    }
    if (errno != ENOENT) throw_system_error("look at", path);
    return false;
  }

  void touch() {
    for (const Target& target : targets()) {
      const FileDescriptor folder = folder_of(target.path);
      struct stat status {};
      check_system(
          ::fstatat(folder.get(), name_of(target.path).c_str(), &status, AT_SYMLINK_NOFOLLOW),
          "look at", target.path);
      const timespec later{status.st_mtim.tv_sec + kMutationStepSeconds, status.st_mtim.tv_nsec};
      const timespec both[2] = {later, later};
      check_system(
          ::utimensat(folder.get(), name_of(target.path).c_str(), both, AT_SYMLINK_NOFOLLOW),
          "set the time of", target.path);
      result_.changed_entries += 1;
    }
  }

  void remove() {
    FolderTimes times(root_);
    const std::vector<Target> victims = targets();
    for (const Target& target : victims) times.remember(parent_path(target.path));
    for (const Target& target : victims) {
      const FileDescriptor folder = folder_of(target.path);
      // By way of the open folder: neither a long path nor a symlink on it can lead astray.
      remove_tree("/proc/self/fd/" + std::to_string(folder.get()) + "/" + name_of(target.path));
      result_.changed_entries += 1;
    }
    times.set();
  }

  const Mutation& mutation_;
  const uint64_t seed_;
  const std::string& root_path_;
  const int root_;
  MutationResult& result_;
};

}  // namespace

MutationResult mutate_tree(const MutationScript& script, uint64_t seed, const std::string& path) {
  const FileDescriptor root = open_file(path, O_RDONLY | O_DIRECTORY);
  MutationResult result;
  for (size_t i = 0; i < script.steps.size(); ++i) {
    const uint64_t step_seed = derive_seed(seed, "mutation step " + std::to_string(i));
    Step(script.steps[i], step_seed, path, root.get(), result).run();
  }
  return result;
}

}  // namespace fairwire
