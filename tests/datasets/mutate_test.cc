#include "datasets/mutate.h"

#include <unistd.h>

#include <algorithm>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

constexpr int64_t kDay = 86'400;

MutationScript script_of(const std::string& steps) {
  const std::string text = R"({"schema":1,"name":"m","steps":[)" + steps + "]}";
  return parse_mutation_script(Json::parse(text, "m.json"), "m.json");
}

class RefusedScript : public testing::TestWithParam<Refused> {};

TEST_P(RefusedScript, NamesThePlace) {
  expect_refused(GetParam(), [](const std::string& text) { script_of(text); });
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedScript,
    testing::Values(
        Refused{"", "/steps", "1 to 1000"}, Refused{"{}", "/steps/0", "kind"},
        Refused{R"({"kind":"melt","path":"a"})", "/steps/0/kind", "append"},
        Refused{R"({"kind":"append","path":"a"})", "/steps/0", "bytes"},
        Refused{R"({"kind":"append","path":"a","bytes":0})", "/steps/0/bytes", "from 1"},
        Refused{R"({"kind":"insert","path":"a","bytes":4294967297})", "/steps/0/bytes",
                "to 4294967296"},
        Refused{R"({"kind":"append","path":"../a","bytes":1})", "/steps/0/path", ".."},
        Refused{R"({"kind":"append","path":"a","bytes":1,"to":"b"})", "/steps/0/to", "unknown"},
        Refused{R"({"kind":"overwrite_blocks","path":"*","block_bytes":0,"per_thousand":1})",
                "/steps/0/block_bytes", "from 1"},
        Refused{R"({"kind":"overwrite_blocks","path":"*","block_bytes":1073741825,
                "per_thousand":1})",
                "/steps/0/block_bytes", "to 1073741824"},
        Refused{R"({"kind":"overwrite_blocks","path":"*","block_bytes":1,"per_thousand":1001})",
                "/steps/0/per_thousand", "from 1 to 1000"},
        Refused{R"({"kind":"rename","path":"*","to":"b"})", "/steps/0/path", "one entry"},
        Refused{R"({"kind":"rename","path":"a","to":"/b"})", "/steps/0/to", "absolute"},
        Refused{R"({"kind":"rename","path":"a","to":"a/b"})", "/steps/0/to", "beneath"},
        Refused{R"({"kind":"touch","path":"a","bytes":1})", "/steps/0/bytes", "unknown"}));

struct Mutated : testing::Test {
  Mutated() : dir("mutate", "/dev/shm"), root(dir.path() + "/t") {
    const DatasetSpec spec = spec_of(R"("groups":[{"folder":"g","count":10,
        "size_quantiles":[100000]}],"entries":[{"kind":"file","path":"f","size":3000001},
        {"kind":"hardlink","path":"f2","target":"f"},{"kind":"file","path":"e"},
        {"kind":"symlink","path":"link","target":"g"},{"kind":"directory","path":"d/sub"}])");
    generate_dataset(spec, 1, root);
    before = entries_of(root);
    old_bytes = read_file(root + "/f", 1 << 24);
  }

  MutationResult apply(const std::string& steps) {
    const MutationResult result = mutate_tree(script_of(steps), 9, root);
    after = entries_of(root);
    return result;
  }
  std::string bytes() const { return read_file(root + "/f", 1 << 24); }
  int64_t aged(const std::string& path) const {
    return entry_at(after, path).mtime_s - entry_at(before, path).mtime_s;
  }

  TempDir dir;
  std::string root;
  std::vector<Entry> before, after;
  std::string old_bytes;
};

TEST_F(Mutated, AppendKeepsWhatWasThere) {
  const auto result = apply(R"({"kind":"append","path":"f","bytes":70000})");
  EXPECT_EQ(bytes().substr(0, old_bytes.size()), old_bytes);
  EXPECT_EQ(bytes().size(), old_bytes.size() + 70'000);
  EXPECT_EQ(result.new_bytes, 70'000);
  EXPECT_EQ(result.changed_entries, 1);
  EXPECT_EQ(aged("f"), kDay);
  EXPECT_EQ(entry_at(after, "f").mtime_ns, entry_at(before, "f").mtime_ns);
  EXPECT_EQ(entry_at(after, "f2").hard_link, "f");
  EXPECT_EQ(aged("e"), 0);
}

TEST_F(Mutated, PrependMovesTheRest) {
  apply(R"({"kind":"prepend","path":"f","bytes":1})");
  EXPECT_EQ(bytes().substr(1), old_bytes);
}

TEST_F(Mutated, InsertSplitsAtOnePlace) {
  apply(R"({"kind":"insert","path":"f","bytes":2500000})");
  const std::string now = bytes();
  ASSERT_EQ(now.size(), old_bytes.size() + 2'500'000);
  const size_t at = static_cast<size_t>(
      std::mismatch(old_bytes.begin(), old_bytes.end(), now.begin()).first - old_bytes.begin());
  EXPECT_EQ(now.substr(at + 2'500'000), old_bytes.substr(at));
}

TEST_F(Mutated, OverwritesAnExactShareOfAllBlocks) {
  const auto result =
      apply(R"({"kind":"overwrite_blocks","path":"*","block_bytes":1000,"per_thousand":10})");
  // 1 000 blocks in g, 3 001 in f (once, for its two names), none in e: 4 001 × 10 / 1 000, up.
  int64_t changed_blocks = 0;
  const std::string now = bytes();
  for (size_t at = 0; at < now.size(); at += 1000) {
    changed_blocks += now.compare(at, 1000, old_bytes, at, 1000) != 0;
  }
  EXPECT_GT(changed_blocks, 10);
  EXPECT_LE(changed_blocks, 41);
  EXPECT_LE(result.new_bytes, 41'000);
  EXPECT_GE(result.new_bytes, 40'001);
  EXPECT_EQ(now.size(), old_bytes.size());
  int64_t aged_files = 0;
  for (const Entry& entry : after) {
    aged_files += entry.type == EntryType::file && entry.hard_link.empty() && aged(entry.path) > 0;
  }
  EXPECT_EQ(aged_files, result.changed_entries);
}

TEST_F(Mutated, OverwritesEverythingAtAThousandPerThousand) {
  const auto result =
      apply(R"({"kind":"overwrite_blocks","path":"f","block_bytes":65536,"per_thousand":1000})");
  EXPECT_EQ(result.new_bytes, 3'000'001);
  EXPECT_EQ(aged("g/0"), 0);
}

TEST_F(Mutated, RenameMakesFoldersAndAgesThoseConcerned) {
  const auto result = apply(R"({"kind":"rename","path":"g/3","to":"d/new/deep/3"})");
  EXPECT_EQ(result.new_bytes, 0);
  EXPECT_EQ(result.changed_entries, 1);
  EXPECT_EQ(entry_at(after, "d/new/deep/3").sha256, entry_at(before, "g/3").sha256);
  EXPECT_EQ(entry_at(after, "d/new/deep/3").mtime_s, entry_at(before, "g/3").mtime_s);
  EXPECT_EQ(aged("g"), kDay);
  EXPECT_EQ(aged("d"), kDay);
  EXPECT_EQ(aged("d/sub"), 0);
  EXPECT_EQ(entry_at(after, "d/new").mtime_s, entry_at(after, "d").mtime_s);
  EXPECT_EQ(entry_at(after, "d/new").mode, 0755u);
}

TEST_F(Mutated, RenameNeverReplaces) {
  EXPECT_THROW(apply(R"({"kind":"rename","path":"f","to":"e"})"), SystemError);
  EXPECT_EQ(bytes(), old_bytes);
}

TEST_F(Mutated, TouchChangesOnlyTimes) {
  const auto result = apply(R"({"kind":"touch","path":"*"},{"kind":"touch","path":"link"})");
  EXPECT_EQ(result.new_bytes, 0);
  EXPECT_EQ(result.changed_entries, 13);
  EXPECT_EQ(aged("f"), kDay);
  EXPECT_EQ(aged("link"), kDay);
  EXPECT_EQ(entry_at(after, "f").sha256, entry_at(before, "f").sha256);
}

TEST_F(Mutated, RemoveTakesTreesAndNotWhatLinksLeadTo) {
  apply(R"({"kind":"remove","path":"d"},{"kind":"remove","path":"link"})");
  EXPECT_EQ(after.size(), before.size() - 3);
  EXPECT_EQ(entry_at(after, "g/0").sha256, entry_at(before, "g/0").sha256);
  apply(R"({"kind":"remove","path":"*"})");
  EXPECT_EQ(paths_of(after), (std::vector<std::string>{"g"}));
  EXPECT_EQ(aged("g"), kDay);
}

TEST_F(Mutated, NothingIsReachedThroughASymlink) {
  for (const char* kind : {R"("append","bytes":1)", R"("touch")", R"("remove")"}) {
    EXPECT_THROW(apply(std::string(R"({"path":"link/0","kind":)") + kind + "}"), SystemError);
  }
  EXPECT_THROW(apply(R"({"kind":"append","path":"link","bytes":1})"), SystemError);
  EXPECT_THROW(apply(R"({"kind":"append","path":"g","bytes":1})"), SystemError);
  EXPECT_THROW(apply(R"({"kind":"touch","path":"no such"})"), SystemError);
  EXPECT_EQ(manifest_of(entries_of(root)), manifest_of(before));
}

struct Again : Mutated {
  void TestBody() override {}
};

TEST_F(Mutated, IsTheSameEverywhere) {
  const std::string steps = R"({"kind":"append","path":"*","bytes":10},
      {"kind":"insert","path":"f","bytes":1000},{"kind":"rename","path":"g","to":"h"},
      {"kind":"overwrite_blocks","path":"*","block_bytes":4096,"per_thousand":50},
      {"kind":"remove","path":"h/5"})";
  apply(steps);
  const Again other;
  mutate_tree(script_of(steps), 9, other.root);
  EXPECT_EQ(manifest_of(after), manifest_of(entries_of(other.root)));
  EXPECT_EQ(root_of(after), "acf5cb39e4cc2e41bcbb8b6e63d9760b7ed3dce63c40360f7d9a1a5afdd2a49b");
}

}  // namespace
}  // namespace fairwire
