// What not every file system holds: owners, holes, attributes (docs/manifest.md, "What is local").
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

constexpr int64_t kMiB = 1 << 20;

class LocalFactsOf : public testing::TestWithParam<const char*> {
 protected:
  // `pieces`: where there is data, and how much.
  Entry file_with(int64_t size, const std::vector<std::pair<int64_t, int64_t>>& pieces) {
    const FileDescriptor file = open_file(dir_.path() + "/f", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    check_system(::ftruncate(file.get(), size), "set the size of", "f");
    for (const auto& [at, bytes] : pieces) {
      const std::string data(static_cast<size_t>(bytes), 'x');
      EXPECT_EQ(::pwrite(file.get(), data.data(), data.size(), at), bytes);
    }
    check_system(::fsync(file.get()), "sync", "f");
    return entry_at(entries_of(dir_.path()), "f");
  }
  bool set(const std::string& name, const std::string& attribute, const std::string& value) {
    const std::string path = dir_.path() + "/" + name;
    return ::setxattr(path.c_str(), attribute.c_str(), value.data(), value.size(), 0) == 0;
  }

  TempDir dir_{"facts", GetParam()};
};

using Pieces = std::vector<std::pair<int64_t, int64_t>>;

// The same numbers on every file system: that is what the windows are for.
TEST_P(LocalFactsOf, HolesAreCountedInWindows) {
  struct Case {
    int64_t size;
    Pieces pieces;
    std::optional<int64_t> data_bytes;
  };
  const Case cases[] = {
      {kMiB, {{500'000, 1}}, 65'536},
      {kMiB, {}, 0},
      {kMiB, {{0, kMiB}}, std::nullopt},
      {kMiB, {{65'535, 2}}, 131'072},                 // on both sides of a bound
      {kMiB, {{70'000, 10}, {100'000, 10}}, 65'536},  // two pieces in one window
      {kMiB + 10, {{kMiB, 10}}, 10},                  // the last window is short
      {256 * kMiB, {{100'000'000, 1}}, 65'536},       // A15
      {100, {{0, 100}}, std::nullopt},
      {2 * 65'536, {{0, 1}, {65'536, 1}}, std::nullopt},  // holes too small to be counted
  };
  for (const Case& one : cases) {
    const Entry entry = file_with(one.size, one.pieces);
    EXPECT_EQ(entry.local.data_bytes, one.data_bytes) << one.size;
    EXPECT_EQ(entry.size, one.size);
  }
}

TEST_P(LocalFactsOf, AllocatedHolesAreNotSparse) {
  file_with(kMiB, {});
  const FileDescriptor file = open_file(dir_.path() + "/f", O_WRONLY);
  ASSERT_EQ(::fallocate(file.get(), 0, 0, kMiB), 0);
  EXPECT_EQ(entry_at(entries_of(dir_.path()), "f").local.data_bytes, std::nullopt);
}

TEST_P(LocalFactsOf, AttributesAreTheDocumentedDigest) {
  file_with(1, {});
  ASSERT_EQ(::mkdir((dir_.path() + "/d").c_str(), 0755), 0);
  EXPECT_EQ(entry_at(entries_of(dir_.path()), "f").local.xattrs, std::nullopt);
  if (!set("f", "user.b", "two")) GTEST_SKIP() << "no user.* on " << GetParam();
  ASSERT_TRUE(set("f", "user.a", ""));
  ASSERT_TRUE(set("d", "user.b", "two"));
  const std::string a = std::string("user.a") + std::string(9, '\0');
  const std::string b = std::string("user.b") + std::string(8, '\0') + "\x03two";
  EXPECT_EQ(entry_at(entries_of(dir_.path()), "f").local.xattrs, sha256(a + b));
  EXPECT_EQ(entry_at(entries_of(dir_.path()), "d").local.xattrs, sha256(b));
}

TEST_P(LocalFactsOf, OwnersAndCapabilitiesAreSeenByRootAlone) {
  file_with(1, {});
  if (::geteuid() != 0) {
    EXPECT_EQ(entry_at(entries_of(dir_.path()), "f").local.owner, std::nullopt);
    GTEST_SKIP() << "the rest needs root";
  }
  ASSERT_EQ(::chown((dir_.path() + "/f").c_str(), 1234, 4321), 0);
  // cap_net_raw+ep, version 2: 20 bytes
  const std::string value(
      "\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00",
      20);
  const bool capable = set("f", "security.capability", value);
  const Entry entry = entry_at(entries_of(dir_.path()), "f");
  EXPECT_EQ(entry.local.owner, (LocalFacts::Owner{1234, 4321}));
  if (capable) {
    EXPECT_EQ(entry.local.capability, sha256(value));
  }
  EXPECT_EQ(entry.local.xattrs, std::nullopt);
}

TEST_P(LocalFactsOf, TheyAreInNoRoot) {
  file_with(kMiB, {{kMiB - 1, 1}});
  const std::string before = root_of(entries_of(dir_.path()));
  struct stat status {};
  const std::string path = dir_.path() + "/f";
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  ASSERT_EQ(::fallocate(open_file(path, O_WRONLY).get(), 0, 0, kMiB), 0);
  set("f", "user.a", "value");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 77, 77), 0);
  }
  const timespec times[2] = {status.st_mtim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_EQ(root_of(entries_of(dir_.path())), before);
}

INSTANTIATE_TEST_SUITE_P(All, LocalFactsOf, testing::Values("/dev/shm", "/tmp"),
                         [](const auto& test) {
                           return std::string(test.param) == "/tmp" ? "disk" : "memory";
                         });

}  // namespace
}  // namespace fairwire
