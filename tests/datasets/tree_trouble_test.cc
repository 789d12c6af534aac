// Trees that are deep, forbidden or change under the walk.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "datasets/hash_file.h"
#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

std::string chain(size_t levels, size_t letters, const std::string& last) {
  std::string path;
  for (size_t i = 0; i < levels; ++i) path += std::string(letters, 'd') + '/';
  return path + last;
}

DatasetSpec file_at(const std::string& path) {
  return spec_of(R"("entries":[{"kind":"file","path":")" + path + R"(","size":4}])");
}

// Runs `body` with at most `limit` descriptors.
void with_few_descriptors(rlim_t limit, const std::function<void()>& body) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = limit;
  ::setrlimit(RLIMIT_NOFILE, &few);
  body();
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// Case A08: the path has 6 040 bytes, beyond PATH_MAX.
TEST(DeepTree, ThirtyLongLevelsAreMadeAndHashed) {
  const TempDir dir("walk", "/dev/shm");
  const std::string path = chain(30, 200, "leaf-here!");
  ASSERT_EQ(path.size(), 6'040u);
  generate_dataset(file_at(path), 1, dir.path() + "/t");
  const auto entries = entries_of(dir.path() + "/t");
  ASSERT_EQ(entries.size(), 31u);
  EXPECT_EQ(entries.back().path, path);
  EXPECT_TRUE(entries.back().sha256);
  EXPECT_EQ(read_manifest(manifest_of(entries)).back().path, path);
}

// Each level has entries before and behind its sub-folder, so every level is left and entered
// again after it was closed.
TEST(DeepTree, AThousandLevelsNeedFewDescriptors) {
  const TempDir dir("walk", "/dev/shm");
  FileDescriptor at = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 1'000; ++i) {
    for (const char* name : {"a", "z"}) {
      FileDescriptor(::openat(at.get(), name, O_WRONLY | O_CREAT, 0644));
    }
    ASSERT_EQ(::mkdirat(at.get(), "m", 0755), 0);
    at = FileDescriptor(::openat(at.get(), "m", O_RDONLY | O_DIRECTORY));
  }
  with_few_descriptors(130, [&] {
    int64_t entries = 0;
    std::string before;
    const auto summary = walk_tree(dir.path(), {}, [&](const Entry& entry) {
      ++entries;
      EXPECT_LT(before, entry.path);
      EXPECT_EQ(entry.problem, "");
      before = entry.path;
    });
    EXPECT_EQ(entries, 3'000);
    EXPECT_EQ(summary.problems, 0);
    EXPECT_EQ(before, "z");
  });
}

// The nastiest order: "d", "d-", "d--" … are all listed before the first of them is entered.
TEST(DeepTree, ManyFoldersHeldAtOnceNeedFewDescriptors) {
  const TempDir dir("walk", "/dev/shm");
  for (size_t i = 0; i < 250; ++i) {
    make_directories(dir.path() + "/d" + std::string(i, '-') + "/x");
  }
  with_few_descriptors(130, [&] {
    const auto entries = entries_of(dir.path());
    EXPECT_EQ(entries.size(), 500u);
    EXPECT_EQ(entries.back().path, "d/x");
  });
}

TEST(ChangingTree, AFolderThatGoesAwayIsAProblemOfItsEntries) {
  const TempDir dir("walk", "/dev/shm");
  for (const char* name : {"/t/d/1", "/t/d/2", "/t/d-"}) make_directories(dir.path() + name);
  std::vector<Entry> entries;
  WalkOptions options;
  walk_tree(dir.path() + "/t", options, [&](const Entry& entry) {
    if (entry.path == "d") ::rename((dir.path() + "/t/d").c_str(), (dir.path() + "/gone").c_str());
    entries.push_back(entry);
  });
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[1].path, "d-");
  EXPECT_EQ(entries[2].path, "d/1");
  EXPECT_NE(entries[2].problem.find("went away"), std::string::npos) << entries[2].problem;
}

struct ChangedFile : testing::Test {
  ChangedFile() : dir("walk", "/dev/shm"), root(open_file(dir.path(), O_RDONLY | O_DIRECTORY)) {
    write_file(dir.path() + "/f", "before");
    ::fstatat(root.get(), "f", &expected, 0);
  }
  HashResult hash() { return hash_file(root.get(), "f", expected, scratch, hashed); }

  TempDir dir;
  FileDescriptor root;
  struct stat expected {};
  std::vector<std::byte> scratch = std::vector<std::byte>(4);
  std::atomic<int64_t> hashed = 0;
};

TEST_F(ChangedFile, HoldingStillItIsHashed) {
  EXPECT_EQ(hash().sha256, sha256("before"));
  EXPECT_EQ(hashed, 6);
}

TEST_F(ChangedFile, AnotherFileOfThatNameIsAProblem) {
  write_file(dir.path() + "/f", "behind");
  EXPECT_EQ(hash().problem, "changed while it was read");
}

TEST_F(ChangedFile, OtherBytesUnderTheSameSizeAndTimeAreAProblem) {
  ::usleep(20'000);  // past the clock tick of ctime
  open_file(dir.path() + "/f", O_WRONLY).write_all("BEFORE");
  const timespec times[2] = {expected.st_atim, expected.st_mtim};
  ::utimensat(root.get(), "f", times, 0);
  EXPECT_EQ(hash().problem, "changed while it was read");
}

TEST_F(ChangedFile, AFifoInItsPlaceDoesNotBlock) {
  ::unlink((dir.path() + "/f").c_str());
  ASSERT_EQ(::mkfifo((dir.path() + "/f").c_str(), 0600), 0);
  EXPECT_EQ(hash().problem, "changed while it was read");
}

TEST_F(ChangedFile, ASymlinkInItsPlaceIsNotFollowed) {
  ::unlink((dir.path() + "/f").c_str());
  ASSERT_EQ(::symlink("/etc/passwd", (dir.path() + "/f").c_str()), 0);
  EXPECT_NE(hash().problem.find("cannot be opened"), std::string::npos);
}

TEST_F(ChangedFile, AFileThatIsGoneIsAProblem) {
  ::unlink((dir.path() + "/f").c_str());
  EXPECT_EQ(hash().problem, "cannot be opened: No such file or directory");
}

int walk_as_nobody(const std::string& root) {
  if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return 10;
  const auto entries = entries_of(root);
  if (entry_at(entries, "file").problem != "cannot be opened: Permission denied") return 11;
  if (entry_at(entries, "folder").problem != "cannot be opened: Permission denied") return 12;
  if (entry_at(entries, "locked/f").problem != "cannot be looked at: Permission denied") return 13;
  return entries.size() == 4 && !entry_at(entries, "file").sha256 ? 0 : 14;
}

TEST(ForbiddenTree, IsListedWithItsProblems) {
  const TempDir dir("walk", "/dev/shm");
  write_file(dir.path() + "/file", "x", 0000);
  make_directories(dir.path() + "/folder/inside");
  make_directories(dir.path() + "/locked");
  write_file(dir.path() + "/locked/f", "x");
  ::chmod((dir.path() + "/folder").c_str(), 0000);
  ::chmod((dir.path() + "/locked").c_str(), 0444);
  ::chmod(dir.path().c_str(), 0755);
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      code = walk_as_nobody(dir.path());
    } catch (const std::exception&) {
    }
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace fairwire
