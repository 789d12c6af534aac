#include "base/temp_dir.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace fairwire {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// A chain of folders, each with a file: `depth` levels of names of `length` letters.
void make_chain(const std::string& top, int depth, size_t length) {
  FileDescriptor at = open_file(top, O_RDONLY | O_DIRECTORY);
  const std::string name(length, 'd');
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0755), 0);
    FileDescriptor(::openat(at.get(), "file", O_WRONLY | O_CREAT, 0644));
    at = FileDescriptor(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_TRUE(at.is_open());
  }
}

TEST(TempDir, GoesWithItsOwner) {
  std::string path;
  {
    TempDir dir("base");
    path = dir.path();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    const TempDir owner = std::move(dir);
    EXPECT_EQ(owner.path(), path);
  }
  EXPECT_FALSE(exists(path));
  EXPECT_THROW(TempDir("base", "/nonexistent"), SystemError);
}

TEST(RemoveTree, ReachesPathsLongerThanPathMax) {
  const TempDir dir("base", "/dev/shm");
  const std::string top = dir.path() + "/t";
  make_directories(top);
  make_chain(top, 30, 200);
  remove_tree(top);
  EXPECT_FALSE(exists(top));
}

TEST(RemoveTree, NeedsFewDescriptors) {
  const TempDir dir("base", "/dev/shm");
  const std::string top = dir.path() + "/t";
  make_directories(top);
  make_chain(top, 2'000, 3);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  ::setrlimit(RLIMIT_NOFILE, &few);
  EXPECT_NO_THROW(remove_tree(top));
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(exists(top));
}

TEST(RemoveTree, NeverFollowsASymlink) {
  const TempDir dir("base");
  make_directories(dir.path() + "/kept");
  write_file(dir.path() + "/kept/file", "x");
  make_directories(dir.path() + "/t");
  ASSERT_EQ(::symlink("../kept", (dir.path() + "/t/link").c_str()), 0);
  remove_tree(dir.path() + "/t");
  EXPECT_FALSE(exists(dir.path() + "/t"));
  EXPECT_TRUE(exists(dir.path() + "/kept/file"));
  ASSERT_EQ(::symlink("kept", (dir.path() + "/link").c_str()), 0);
  remove_tree(dir.path() + "/link");
  EXPECT_TRUE(exists(dir.path() + "/kept/file"));
}

TEST(RemoveTree, TakesFilesFifosAndWhatIsGone) {
  const TempDir dir("base");
  write_file(dir.path() + "/file", "x");
  ASSERT_EQ(::mkfifo((dir.path() + "/fifo").c_str(), 0600), 0);
  remove_tree(dir.path() + "/file");
  remove_tree(dir.path() + "/fifo");
  remove_tree(dir.path() + "/never was");
  EXPECT_FALSE(exists(dir.path() + "/file"));
  EXPECT_FALSE(exists(dir.path() + "/fifo"));
}

int remove_forbidden_tree(const std::string& top) {
  if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return 2;
  make_directories(top + "/a/b/c");
  write_file(top + "/a/b/c/file", "x");
  ::chmod((top + "/a/b/c").c_str(), 0000);
  ::chmod((top + "/a/b").c_str(), 0500);
  ::chmod((top + "/a").c_str(), 0400);
  remove_tree(top + "/a");
  return exists(top + "/a") ? 1 : 0;
}

// As a user whom modes bind: root would pass anyway.
TEST(RemoveTree, OpensFoldersThatItsOwnerMayNotRead) {
  const TempDir dir("base");
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 3;
    try {
      code = remove_forbidden_tree(dir.path());
    } catch (const std::exception&) {
    }
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(MakeDirectories, MakesWhatIsMissing) {
  const TempDir dir("base");
  make_directories(dir.path() + "/a/b//c");
  make_directories(dir.path() + "/a/b/c");
  EXPECT_TRUE(exists(dir.path() + "/a/b/c"));
  write_file(dir.path() + "/file", "x");
  EXPECT_THROW(make_directories(dir.path() + "/file"), SystemError);
  EXPECT_THROW(make_directories(dir.path() + "/file/b"), SystemError);
}

}  // namespace
}  // namespace fairwire
