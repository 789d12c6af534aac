#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/temp_dir.h"

namespace fairwire {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) != -1;
}

TEST(FileDescriptor, ClosesExactlyOnce) {
  int number = -1;
  {
    FileDescriptor first = open_file("/dev/null", O_RDONLY);
    number = first.get();
    FileDescriptor second = std::move(first);
    EXPECT_FALSE(first.is_open());
    second = std::move(second);  // NOLINT: moving to itself keeps it
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  FileDescriptor released = open_file("/dev/null", O_RDONLY);
  const int kept = released.release();
  EXPECT_FALSE(released.is_open());
  EXPECT_TRUE(is_open(kept));
  ::close(kept);
}

TEST(FileDescriptor, IsNotInherited) {
  const FileDescriptor file = open_file("/dev/null", O_RDONLY);
  EXPECT_NE(::fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
  const Pipe pipe = make_pipe();
  EXPECT_NE(::fcntl(pipe.read_end.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(pipe.write_end.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(FileDescriptor, CarriesBytesThroughAPipe) {
  Pipe pipe = make_pipe();
  pipe.write_end.write_all("hello");
  pipe.write_end.close();
  std::byte buffer[3];
  EXPECT_EQ(pipe.read_end.read_some(buffer), 3u);
  EXPECT_EQ(pipe.read_end.read_some(buffer), 2u);
  EXPECT_EQ(pipe.read_end.read_some(buffer), 0u);
}

TEST(FileDescriptor, ErrorsNameAttemptPathAndReason) {
  try {
    open_file("/nonexistent/file", O_RDONLY);
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_EQ(error.error_number, ENOENT);
    EXPECT_STREQ(error.what(), "open /nonexistent/file: No such file or directory");
  }
  try {
    read_file("/dev", 100);
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "read /dev: Is a directory");
  }
}

TEST(WholeFile, IsReadUpToItsLimit) {
  const TempDir dir("base");
  const std::string path = dir.path() + "/f";
  write_file(path, std::string(100, 'x'));
  EXPECT_EQ(read_file(path, 100).size(), 100u);
  EXPECT_THROW(read_file(path, 99), SystemError);
}

TEST(WholeFile, IsReplacedWithItsModeAndLeavesNothing) {
  const TempDir dir("base");
  const std::string path = dir.path() + "/f";
  write_file(path, "one", 0600);
  write_file(path, "two", 0640);
  EXPECT_EQ(read_file(path, 10), "two");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_THROW(write_file(dir.path(), "no"), SystemError);  // a folder stands there
  ::unlink(path.c_str());
  EXPECT_EQ(::rmdir((dir.path()).c_str()), 0) << "a temporary file is left";
  ::mkdir(dir.path().c_str(), 0700);
}

// Case A07: a temporary name must not be longer than the name it stands for.
TEST(WholeFile, MayHaveTheLongestName) {
  const TempDir dir("base");
  for (const size_t length : {253u, 254u, 255u}) {
    const std::string path = dir.path() + "/" + std::string(length, 'n');
    write_file(path, "x");
    EXPECT_EQ(read_file(path, 1), "x");
  }
}

}  // namespace
}  // namespace fairwire
