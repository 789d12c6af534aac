#include "datasets/tree_walk.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/rng.h"
#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

void make_file(const TempDir& dir, const std::string& path, const std::string& bytes = "x") {
  if (const size_t slash = path.rfind('/'); slash != std::string::npos) {
    make_directories(dir.path() + "/" + path.substr(0, slash));
  }
  write_file(dir.path() + "/" + path, bytes);
}

// The order of the document: "/" is a byte of the path like any other.
TEST(WalkOrder, IsThatOfFullPathBytes) {
  const TempDir dir("walk", "/dev/shm");
  for (const char* path : {"a/x", "a-b/y", "a-b-/z", "a-b.c", "a-", "a.txt", "a0", "a!/!/!", "b",
                           "a/x-y", "A/1", "\xff/f", "a+"}) {
    make_file(dir, path);
  }
  const auto paths = paths_of(entries_of(dir.path()));
  const std::vector<std::string> wanted = {
      "A",      "A/1",   "a",     "a!",    "a!/!", "a!/!/!", "a+", "a-", "a-b",  "a-b-",
      "a-b-/z", "a-b.c", "a-b/y", "a.txt", "a/x",  "a/x-y",  "a0", "b",  "\xff", "\xff/f"};
  EXPECT_EQ(paths, wanted);
}

TEST(WalkOrder, HoldsForManyTreesOfShortNames) {
  Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    const TempDir dir("walk", "/dev/shm");
    for (int i = 0; i < 60; ++i) {
      std::string path;
      for (uint64_t parts = 1 + rng.below(4); parts > 0; --parts) {
        if (!path.empty()) path += '/';
        path += 'd';
        for (uint64_t extra = rng.below(3); extra > 0; --extra) path += " -.0"[rng.below(4)];
      }
      make_directories(dir.path() + "/" + path);
    }
    const auto paths = paths_of(entries_of(dir.path()));
    EXPECT_TRUE(std::is_sorted(paths.begin(), paths.end()));
    EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
    EXPECT_GT(paths.size(), 20u);
  }
}

TEST(Walk, SumsUpAndHashesTheSameWithAnyNumberOfThreads) {
  const TempDir dir("walk", "/dev/shm");
  for (int i = 0; i < 500; ++i) {
    make_file(dir, "d" + std::to_string(i % 7) + "/" + std::to_string(i), std::to_string(i));
  }
  make_file(dir, "big", std::string(5'000'000, 'b'));
  const auto one = entries_of(dir.path(), 1);
  EXPECT_EQ(one, entries_of(dir.path(), 4));
  EXPECT_EQ(entry_at(one, "d3/3").sha256, sha256("3"));
  EXPECT_EQ(entry_at(one, "big").sha256, sha256(std::string(5'000'000, 'b')));
  int64_t visited = 0;
  const WalkSummary summary = walk_tree(dir.path(), {}, [&](const Entry&) { ++visited; });
  EXPECT_EQ(summary.entries, 508);
  EXPECT_EQ(visited, 508);
  EXPECT_EQ(summary.files, 501);
  EXPECT_EQ(summary.bytes, 5'000'000 + 10 + 180 + 1200);
  EXPECT_EQ(summary.problems, 0);
}

TEST(Walk, WithoutHashingReadsNoContent) {
  const TempDir dir("walk", "/dev/shm");
  make_file(dir, "f", "abc");
  WalkOptions options;
  options.hash = false;
  walk_tree(dir.path(), options, [](const Entry& entry) {
    EXPECT_EQ(entry.size, 3);
    EXPECT_FALSE(entry.sha256);
    EXPECT_EQ(entry.problem, "");
  });
}

// Case A13: 8 MiB with three names.
TEST(Walk, HardLinksAreOneInode) {
  const TempDir dir("walk", "/dev/shm");
  make_file(dir, "m", std::string(8 << 20, 'm'));
  make_directories(dir.path() + "/z");
  ASSERT_EQ(::link((dir.path() + "/m").c_str(), (dir.path() + "/a").c_str()), 0);
  ASSERT_EQ(::link((dir.path() + "/m").c_str(), (dir.path() + "/z/z").c_str()), 0);
  std::vector<Entry> entries;
  const auto summary =
      walk_tree(dir.path(), {}, [&](const Entry& entry) { entries.push_back(entry); });
  EXPECT_EQ(paths_of(entries), (std::vector<std::string>{"a", "m", "z", "z/z"}));
  EXPECT_EQ(entries[0].hard_link, "");
  EXPECT_EQ(entries[1].hard_link, "a");
  EXPECT_EQ(entries[3].hard_link, "a");
  EXPECT_EQ(entries[0].sha256, entries[3].sha256);
  EXPECT_EQ(summary.bytes, 8'388'608);
  EXPECT_EQ(summary.files, 3);
}

// Case A16: what is not a regular file is named and never opened.
TEST(Walk, NeverOpensSpecialFiles) {
  const TempDir dir("walk", "/dev/shm");
  ASSERT_EQ(::mkfifo((dir.path() + "/fifo").c_str(), 0600), 0);
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (dir.path() + "/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(server);
  const bool device = ::mknod((dir.path() + "/null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0;
  std::vector<Entry> entries;
  const auto summary =
      walk_tree(dir.path(), {}, [&](const Entry& entry) { entries.push_back(entry); });
  EXPECT_EQ(entry_at(entries, "fifo").type, EntryType::fifo);
  EXPECT_EQ(entry_at(entries, "socket").type, EntryType::socket);
  if (device) {
    EXPECT_EQ(entry_at(entries, "null").type, EntryType::char_device);
  }
  EXPECT_EQ(summary.not_regular, device ? 3 : 2);
  EXPECT_EQ(summary.problems, 0);
}

// Case A18: seconds are rounded down, nanoseconds kept.
TEST(Walk, KeepsTimesBeforeTheEpoch) {
  const TempDir dir("walk", "/dev/shm");
  struct Time {
    const char* name;
    timespec time;
  };
  for (const Time& wanted : {Time{"a", {-1, 500'000'000}}, Time{"b", {-14'245'441, 750'000'000}},
                             Time{"c", {-1, 0}}, Time{"d", {0, 1}}}) {
    make_file(dir, wanted.name);
    const timespec both[2] = {wanted.time, wanted.time};
    ::utimensat(AT_FDCWD, (dir.path() + "/" + wanted.name).c_str(), both, 0);
    const auto entries = entries_of(dir.path());
    EXPECT_EQ(entry_at(entries, wanted.name).mtime_s, wanted.time.tv_sec);
    EXPECT_EQ(entry_at(entries, wanted.name).mtime_ns, wanted.time.tv_nsec);
  }
}

// Case A15: one byte in 256 MiB.
TEST(Walk, TellsLogicalFromStoredSize) {
  const TempDir dir("walk", "/dev/shm");
  const auto file = open_file(dir.path() + "/sparse", O_WRONLY | O_CREAT);
  ASSERT_EQ(::ftruncate(file.get(), 256 << 20), 0);
  ASSERT_EQ(::pwrite(file.get(), "x", 1, 100'000'000), 1);
  const auto summary = walk_tree(dir.path(), {}, [](const Entry&) {});
  EXPECT_EQ(summary.bytes, 268'435'456);
  EXPECT_GT(summary.allocated_bytes, 0);
  EXPECT_LE(summary.allocated_bytes, 65'536);
}

// Case A31, and that looking at a tree changes nothing in it.
TEST(Walk, SeesAllModeBitsAndLeavesTimesAlone) {
  const TempDir dir("walk", "/dev/shm");
  make_file(dir, "su");
  ASSERT_EQ(::chmod((dir.path() + "/su").c_str(), 04755), 0);
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (dir.path() + "/su").c_str(), old, 0);
  EXPECT_EQ(entries_of(dir.path())[0].mode, 04755u);
  struct stat status {};
  ASSERT_EQ(::stat((dir.path() + "/su").c_str(), &status), 0);
  EXPECT_EQ(status.st_atim.tv_sec, 1000);
}

TEST(Walk, SymlinksAreEntriesOnly) {
  const TempDir dir("walk", "/dev/shm");
  make_file(dir, "real/f");
  ASSERT_EQ(::symlink("real", (dir.path() + "/link").c_str()), 0);
  ASSERT_EQ(::symlink("/nonexistent\xff", (dir.path() + "/broken").c_str()), 0);
  const auto entries = entries_of(dir.path());
  EXPECT_EQ(paths_of(entries), (std::vector<std::string>{"broken", "link", "real", "real/f"}));
  EXPECT_EQ(entries[0].target, "/nonexistent\xff");
  EXPECT_EQ(entries[1].target, "real");
}

TEST(Walk, ThrowsOnlyForTheRoot) {
  EXPECT_THROW(entries_of("/nonexistent"), SystemError);
  EXPECT_THROW(entries_of("/dev/null"), SystemError);
}

TEST(Walk, WhatVisitThrowsComesOut) {
  const TempDir dir("walk", "/dev/shm");
  for (int i = 0; i < 200; ++i) make_file(dir, std::to_string(i));
  EXPECT_THROW(walk_tree(dir.path(), {}, [](const Entry&) { throw Interrupted(); }), Interrupted);
}

TEST(Walk, TellsProgressAtMostTenTimesASecond) {
  const TempDir dir("walk", "/dev/shm");
  for (int i = 0; i < 100; ++i) make_file(dir, std::to_string(i));
  int calls = 0;
  WalkOptions options;
  options.progress = [&](int64_t, int64_t) { ++calls; };
  const Nanoseconds start = monotonic_now();
  walk_tree(dir.path(), options, [](const Entry&) {});
  EXPECT_LE(calls, (monotonic_now() - start) / std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace fairwire
