// What came with recipes of schema 2: owners, times, attributes, holes, copies.
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

DatasetSpec recipe(const std::string& rest, int schema = 2) {
  const std::string text =
      R"({"schema":)" + std::to_string(schema) + R"(,"name":"test","title":"A test",)" + rest + "}";
  return parse_dataset_spec(Json::parse(text, "recipe.json"), "recipe.json");
}

std::vector<Entry> made(const std::string& rest, const char* where = "/dev/shm") {
  const TempDir dir("extras", where);
  generate_dataset(recipe(rest), 1, dir.path() + "/t");
  return entries_of(dir.path() + "/t");
}

TEST(EntryExtras, TimesAreSetToTheNanosecond) {
  const auto entries = made(R"("first_mtime_s":1000,"entries":[
      {"kind":"file","path":"f","mtime":[-1,500000000]},
      {"kind":"directory","path":"d","mtime":[9223372037,1]},
      {"kind":"symlink","path":"l","target":"x","mtime":[-100,2]},
      {"kind":"fifo","path":"p","mtime":[5,6]},
      {"kind":"file","path":"counted"}])");
  const auto expect = [&](const char* path, int64_t seconds, int32_t nanoseconds) {
    EXPECT_EQ(entry_at(entries, path).mtime_s, seconds) << path;
    EXPECT_EQ(entry_at(entries, path).mtime_ns, nanoseconds) << path;
  };
  expect("f", -1, 500'000'000);
  expect("d", 9'223'372'037, 1);
  expect("l", -100, 2);
  expect("p", 5, 6);
  expect("counted", 1005, 5);  // the others count all the same
}

TEST(EntryExtras, OwnersAreSetByRootAndKeepSetuid) {
  const auto entries = made(R"("entries":[
      {"kind":"file","path":"f","mode":"4755","owner":[1000,1001]},
      {"kind":"directory","path":"d","mode":"2775","owner":[5,6]},
      {"kind":"symlink","path":"l","target":"x","owner":[7,8]},
      {"kind":"fifo","path":"p","owner":[9,4294967294]}])");
  EXPECT_EQ(entry_at(entries, "f").mode, 04755u);
  EXPECT_EQ(entry_at(entries, "d").mode, 02775u);
  if (::geteuid() != 0) GTEST_SKIP() << "owners are set by root alone";
  using Owner = LocalFacts::Owner;
  EXPECT_EQ(entry_at(entries, "f").local.owner, (Owner{1000, 1001}));
  EXPECT_EQ(entry_at(entries, "d").local.owner, (Owner{5, 6}));
  EXPECT_EQ(entry_at(entries, "l").local.owner, (Owner{7, 8}));
  EXPECT_EQ(entry_at(entries, "p").local.owner, (Owner{9, 4'294'967'294}));
}

TEST(EntryExtras, AttributesAreSetByteForByte) {
  const TempDir dir("extras", "/tmp");
  generate_dataset(recipe(R"("entries":[
      {"kind":"file","path":"f","xattrs":{"user.a":"\\xff\\\\","user.b":""}}])"),
                   1, dir.path() + "/t");
  char value[16];
  const ssize_t size = ::getxattr((dir.path() + "/t/f").c_str(), "user.a", value, sizeof value);
  if (size < 0 && errno == ENOTSUP) GTEST_SKIP() << "no attributes on /tmp";
  EXPECT_EQ(std::string(value, static_cast<size_t>(size)), "\xff\\");
  EXPECT_EQ(::getxattr((dir.path() + "/t/f").c_str(), "user.b", value, sizeof value), 0);
}

// The same holes, and the same content, on every file system.
TEST(EntryExtras, SparseFilesHoldOnePieceEvery16MiB) {
  const std::string rest = R"("entries":[{"kind":"file","path":"f","size":33554433,
                                          "content":"sparse"}])";
  const auto entries = made(rest);
  EXPECT_EQ(entries[0].size, 33'554'433);
  EXPECT_EQ(entries[0].local.data_bytes, 2 * 65'536 + 1);
  EXPECT_LE(entries[0].allocated_bytes, 3 * 65'536);
  EXPECT_EQ(made(rest, "/tmp")[0].sha256, entries[0].sha256);
  EXPECT_EQ(made(rest, "/tmp")[0].local, entries[0].local);
}

TEST(EntryExtras, CopiesHaveTheContentOfTheFirstOfTheirRow) {
  const auto entries = made(R"("groups":[{"prefix":"f","count":10,"copy_every":4,
                                          "size_quantiles":[1000,2000]}])");
  for (size_t i = 0; i < entries.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool copy = (i == 3 && j == 0) || (i == 7 && j == 4);
      EXPECT_EQ(entries[i].sha256 == entries[j].sha256, copy) << i << ' ' << j;
      if (copy) {
        EXPECT_EQ(entries[i].size, entries[j].size);
      }
    }
  }
  EXPECT_NE(entries[3].mtime_s, entries[0].mtime_s);
}

class RefusedExtra : public testing::TestWithParam<Refused> {};

TEST_P(RefusedExtra, NamesItsPlace) {
  expect_refused(GetParam(), [](const std::string& text) { recipe(text); });
}

std::string file_with(const std::string& extra) {
  return R"("entries":[{"kind":"file","path":"f",)" + extra + "}]";
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedExtra,
    testing::Values(
        Refused{file_with(R"("owner":[1])"), "/entries/0/owner", "[uid, gid]"},
        Refused{file_with(R"("owner":[1,4294967295])"), "/entries/0/owner/1", "4294967294"},
        Refused{file_with(R"("mtime":[0])"), "/entries/0/mtime", "nanoseconds"},
        Refused{file_with(R"("mtime":[0,1000000000])"), "/entries/0/mtime/1", "999999999"},
        Refused{file_with(R"("mtime":[99999999999,0])"), "/entries/0/mtime/0", "68719476736"},
        Refused{file_with(R"("xattrs":{})"), "/entries/0/xattrs", "1 to 16"},
        Refused{file_with(R"("xattrs":{"user.":""})"), "/entries/0/xattrs/user.", "begin"},
        Refused{file_with(R"("xattrs":{"security.x":""})"), "/entries/0/xattrs/security.x",
                "begin"},
        Refused{file_with(R"("xattrs":{"user.a":"\\x41"})"), "/entries/0/xattrs/user.a", "escape"},
        Refused{R"("entries":[{"kind":"fifo","path":"f","xattrs":{"user.a":""}}])",
                "/entries/0/xattrs", "unknown key"},
        Refused{R"("entries":[{"kind":"hardlink","path":"f","target":"g","owner":[1,1]}])",
                "/entries/0/owner", "unknown key"},
        Refused{R"("groups":[{"count":3,"size_quantiles":[1],"copy_every":1}])",
                "/groups/0/copy_every", "2"},
        Refused{R"("groups":[{"count":3,"size_quantiles":[1],"copy_every":4}])",
                "/groups/0/copy_every", "3"}));

// An older fairwire would refuse these; a recipe says so with its schema.
TEST(EntryExtras, AreRefusedInSchema1) {
  for (const char* extra : {R"("owner":[1,1])", R"("mtime":[1,1])", R"("xattrs":{"user.a":"b"})",
                            R"("content":"sparse")"}) {
    EXPECT_THROW(recipe(file_with(extra), 1), FormatError) << extra;
    EXPECT_NO_THROW(recipe(file_with(extra), 2)) << extra;
  }
  const std::string copies = R"("groups":[{"count":3,"size_quantiles":[1],"copy_every":2}])";
  EXPECT_THROW(recipe(copies, 1), FormatError);
  EXPECT_THROW(recipe(copies, 3), FormatError);
}

}  // namespace
}  // namespace fairwire
