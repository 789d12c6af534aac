#include "datasets/diff.h"

#include <functional>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

using Kind = Difference::Kind;

Entry file(const std::string& path, const std::string& bytes) {
  return {.path = path,
          .size = static_cast<int64_t>(bytes.size()),
          .mode = 0644,
          .mtime_s = 100,
          .sha256 = sha256(bytes)};
}
Entry other(const std::string& path, EntryType type) {
  return {.path = path, .type = type, .mode = 0755, .mtime_s = 100};
}

std::vector<Entry> tree() {
  Entry link = other("link", EntryType::symlink);
  link.target = "f";
  Entry second = file("second", "hello");
  second.hard_link = "f";
  Entry folder = other("d", EntryType::directory);
  folder.local.xattrs = sha256("x");
  Entry holes = file("f", "hello");
  holes.local.data_bytes = 3;
  std::vector<Entry> entries = {folder, file("d/g", "world!"), holes, link, second};
  for (Entry& entry : entries) entry.local.owner = {0, 0};
  return entries;
}

DiffResult diff(std::vector<Entry> wanted, std::vector<Entry> landed, size_t keep = 100) {
  return diff_entries(source_of(std::move(wanted)), source_of(std::move(landed)), keep);
}

TEST(Diff, EqualTreesAreVerified) {
  const DiffResult result = diff(tree(), tree());
  EXPECT_TRUE(result.same_file_set());
  EXPECT_TRUE(result.same_content());
  EXPECT_TRUE(result.first.empty());
  EXPECT_EQ(result.wanted_entries, 5);
  EXPECT_EQ(result.landed_entries, 5);
  EXPECT_EQ(result.wanted_bytes, 11);
  EXPECT_EQ(result.verified_bytes, 11);
}

struct Change {
  const char* name;
  size_t entry;
  std::function<void(Entry&)> change;
  Kind kind;
  bool content;  // counts as a difference of content
};

class OneChange : public testing::TestWithParam<Change> {};

TEST_P(OneChange, IsNamed) {
  auto landed = tree();
  GetParam().change(landed[GetParam().entry]);
  const DiffResult result = diff(tree(), landed);
  ASSERT_EQ(result.first.size(), 1u);
  EXPECT_EQ(result.first[0].kind, GetParam().kind);
  EXPECT_EQ(result.first[0].path, tree()[GetParam().entry].path);
  EXPECT_STREQ(to_string(result.first[0].kind), GetParam().name);
  EXPECT_EQ(result.same_content(), !GetParam().content);
  EXPECT_TRUE(result.same_file_set());
}

INSTANTIATE_TEST_SUITE_P(
    All, OneChange,
    testing::Values(
        Change{"type", 2, [](Entry& e) { e.type = EntryType::fifo; }, Kind::type, true},
        Change{"size", 2, [](Entry& e) { e.size = 6; }, Kind::size, true},
        Change{"content", 2, [](Entry& e) { e.sha256 = sha256("HELLO"); }, Kind::content, true},
        Change{"target", 3, [](Entry& e) { e.target = "g"; }, Kind::target, true},
        Change{"mode", 0, [](Entry& e) { e.mode = 0700; }, Kind::mode, false},
        Change{"mtime", 1, [](Entry& e) { e.mtime_ns = 1; }, Kind::mtime, false},
        Change{"hard_link", 4, [](Entry& e) { e.hard_link = ""; }, Kind::hard_link, false},
        Change{"sparse", 2, [](Entry& e) { e.local.data_bytes.reset(); }, Kind::sparse, false},
        Change{"xattr", 0, [](Entry& e) { e.local.xattrs = sha256("y"); }, Kind::xattr, false},
        Change{"owner", 3,
               [](Entry& e) {
                 e.local.owner = {0, 7};
               },
               Kind::owner, false},
        Change{"unreadable", 1,
               [](Entry& e) {
                 e.problem = "cannot be read";
                 e.sha256.reset();
               },
               Kind::unreadable, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Diff, NamesMissingAndExtra) {
  auto landed = tree();
  landed.erase(landed.begin() + 1);
  landed.push_back(file("zzz", "new"));
  const DiffResult result = diff(tree(), landed);
  EXPECT_EQ(result.missing, 1);
  EXPECT_EQ(result.extra, 1);
  EXPECT_FALSE(result.same_file_set());
  EXPECT_TRUE(result.same_content());
  EXPECT_EQ(result.first[0].kind, Kind::missing);
  EXPECT_EQ(result.first[0].path, "d/g");
  EXPECT_EQ(result.first[1].path, "zzz");
  EXPECT_EQ(result.verified_bytes, 5);
  EXPECT_EQ(diff(tree(), {}).missing, 5);
  EXPECT_EQ(diff({}, tree()).extra, 5);
}

// A file is never equal because one side was not read.
TEST(Diff, OneSidedHashesVerifyNothing) {
  auto unread = tree();
  for (Entry& entry : unread) entry.sha256.reset();
  EXPECT_EQ(diff(tree(), unread).unreadable, 3);
  EXPECT_EQ(diff(unread, tree()).unreadable, 3);
  const DiffResult neither = diff(unread, unread);
  EXPECT_TRUE(neither.same_content());
  EXPECT_EQ(neither.verified_bytes, 0);
  EXPECT_EQ(neither.verified_files, 0);
  EXPECT_FALSE(neither.covers_all());
  EXPECT_TRUE(diff(tree(), tree()).covers_all());
}

// Each property has its own count of what was compared, so that "not kept" and "nothing there to
// keep" cannot be mistaken for each other.
TEST(Diff, CountsEachPropertyApart) {
  auto landed = tree();
  landed[2].mtime_ns = 5;
  landed[1].mtime_s = 99;
  landed[0].mode = 0700;
  const PropertyCounts counts = diff(tree(), landed).properties;
  const auto expect = [](const PropertyCount& count, int64_t compared, int64_t different) {
    EXPECT_EQ(count.compared, compared);
    EXPECT_EQ(count.different, different);
  };
  expect(counts.type, 5, 0);
  expect(counts.mode, 4, 1);
  expect(counts.mtime, 5, 2);
  expect(counts.mtime_seconds, 5, 1);
  expect(counts.symlink, 1, 0);
  expect(counts.hard_link, 1, 0);
  expect(counts.sparse, 1, 0);
  expect(counts.xattr, 1, 0);
  expect(counts.owner, 5, 0);
  expect(diff(tree(), {}).properties.mode, 0, 0);
}

TEST(Diff, WhatNobodyKnowsIsNotCompared) {
  auto unread = tree();
  for (Entry& entry : unread) entry.sha256.reset();
  const auto neither = diff(unread, unread).properties;
  EXPECT_EQ(neither.sparse.compared, 0);
  EXPECT_EQ(neither.xattr.compared, 1);  // of the folder, which is always read
  auto other_user = tree();
  for (Entry& entry : other_user) entry.local.owner.reset();
  other_user[1].local.capability = sha256("c");  // not seen by who was not root
  EXPECT_EQ(diff(tree(), other_user).properties.owner.compared, 0);
  EXPECT_TRUE(diff(tree(), other_user).first.empty());
  auto older = tree();
  for (Entry& entry : older) {
    entry.local = {};
    entry.local_unknown = true;
  }
  EXPECT_TRUE(diff(older, tree()).first.empty());
  EXPECT_TRUE(diff(tree(), older).first.empty());
}

TEST(Diff, SparserIsNoDifference) {
  auto landed = tree();
  landed[2].local.data_bytes = 2;
  landed[1].local.data_bytes = 1;  // was not sparse
  EXPECT_TRUE(diff(tree(), landed).first.empty());
  landed[2].local.data_bytes = 4;
  EXPECT_EQ(diff(tree(), landed).properties.sparse.different, 1);
}

TEST(Diff, AProblemOnEitherSideIsUnreadable) {
  auto bad = tree();
  bad[2].problem = "cannot be opened";
  bad[2].sha256.reset();
  EXPECT_EQ(diff(bad, tree()).unreadable, 1);
  EXPECT_EQ(diff(bad, bad).unreadable, 1);
  bad = tree();
  bad[0].problem = "cannot be listed";
  EXPECT_EQ(diff(tree(), bad).unreadable, 1);
}

TEST(Diff, AListOfDigestsComparesOnlyContent) {
  Entry wanted{.path = "f", .sha256 = sha256("hello"), .content_only = true};
  EXPECT_TRUE(diff({wanted}, {file("f", "hello")}).first.empty());
  EXPECT_EQ(diff({wanted}, {file("f", "hello")}).verified_bytes, 5);
  EXPECT_EQ(diff({wanted}, {file("f", "hello")}).wanted_bytes, 5);
  EXPECT_EQ(diff({wanted}, {file("f", "other bytes")}).first[0].kind, Kind::content);
  EXPECT_EQ(diff({wanted}, {other("f", EntryType::directory)}).first[0].kind, Kind::type);
}

TEST(Diff, SymlinkModesAreNotCompared) {
  auto landed = tree();
  landed[3].mode = 0755;
  auto wanted = tree();
  wanted[3].mode = 0777;
  EXPECT_TRUE(diff(wanted, landed).first.empty());
}

TEST(Diff, KeepsTheFirstAndShowsAll) {
  size_t seen = 0;
  const DiffResult result =
      diff_entries(source_of(tree()), source_of({}), 2, [&](const Difference&) { ++seen; });
  EXPECT_EQ(seen, 5u);
  EXPECT_EQ(result.first.size(), 2u);
  EXPECT_EQ(diff(tree(), {}, 0).first.size(), 0u);
}

TEST(Diff, DisorderIsRefusedOnBothSides) {
  auto wrong = tree();
  std::swap(wrong[1], wrong[2]);
  const auto expect_named = [](const char* file, const std::vector<Entry>& a,
                               const std::vector<Entry>& b) {
    try {
      diff(a, b);
      ADD_FAILURE() << "accepted";
    } catch (const FormatError& error) {
      EXPECT_EQ(error.file, file);
    }
  };
  expect_named("the wanted tree", wrong, tree());
  expect_named("the landed tree", tree(), wrong);
  auto twice = tree();
  twice[1] = twice[0];
  expect_named("the landed tree", {}, twice);
}

}  // namespace
}  // namespace fairwire
