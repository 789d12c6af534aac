#include "datasets/generate.h"

#include <unistd.h>

#include <numeric>

#include "datasets/content.h"
#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

using namespace std::string_literals;

constexpr int64_t kBlock = kContentBlockBytes;

std::vector<Entry> generated(const DatasetSpec& spec, uint64_t seed = 1, unsigned threads = 2) {
  const TempDir dir("datasets", "/dev/shm");
  generate_dataset(spec, seed, dir.path() + "/tree", {}, threads);
  return entries_of(dir.path() + "/tree");
}

std::string content_of(Content content, const std::string& path, int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  const auto out = std::as_writable_bytes(std::span(bytes));
  for (int64_t block = 0; block * kBlock < size; ++block) {
    const auto begin = static_cast<size_t>(block * kBlock);
    fill_block(content, content_seed(1, path), block,
               out.subspan(begin, std::min<size_t>(kBlock, out.size() - begin)));
  }
  return bytes;
}

// Case A17, around the block of the content and the range of a job.
TEST(Generate, SizesAroundEveryBoundAreExact) {
  std::string list;
  for (const int64_t bound : {int64_t{0}, kBlock, 8 * kBlock, 16 * kBlock}) {
    for (const int64_t size : {bound - 1, bound, bound + 1}) {
      if (size < 0) continue;
      list += list.empty() ? "" : ",";
      list += R"({"kind":"file","path":")" + std::to_string(size) + R"(","size":)" +
              std::to_string(size) + "}";
    }
  }
  for (const Entry& entry : generated(spec_of("\"entries\":[" + list + "]"), 1, 3)) {
    const int64_t size = std::stoll(entry.path);
    EXPECT_EQ(entry.size, size);
    EXPECT_EQ(entry.sha256, sha256(content_of(Content::random, entry.path, size))) << size;
  }
}

TEST(Generate, ThreadsChangeNothing) {
  const DatasetSpec spec = spec_of(R"("groups":[
      {"folder":"small","prefix":"s","count":300,"size_quantiles":[0,100,5000,90000],
       "files_per_folder":40},
      {"folder":"log","count":2,"size_quantiles":[9500000,12000000],"content":"log_text"}],
      "entries":[{"kind":"file","path":"big","size":20000003}])");
  const auto one = generated(spec, 7, 1);
  EXPECT_EQ(manifest_of(one), manifest_of(generated(spec, 7, 4)));
  EXPECT_NE(manifest_of(one), manifest_of(generated(spec, 8, 4)));
}

TEST(Generate, CountsFilesAndDistinctBytes) {
  const DatasetSpec spec = spec_of(R"("groups":[{"count":3,"size_quantiles":[10]}],"entries":[
      {"kind":"file","path":"a","size":5},{"kind":"hardlink","path":"b","target":"a"}])");
  const TempDir dir("datasets", "/dev/shm");
  int64_t told_bytes = 0;
  const auto made = generate_dataset(spec, 1, dir.path() + "/t", [&](int64_t bytes, int64_t files) {
    told_bytes = bytes;
    EXPECT_LE(files, 5);
  });
  EXPECT_EQ(made.files, 5);
  EXPECT_EQ(made.bytes, 35);
  EXPECT_EQ(told_bytes, 35);
  EXPECT_EQ(made.files, spec.planned_files());
}

TEST(Generate, RefusesAPathThatIsThereOrHasNoParent) {
  const TempDir dir("datasets");
  EXPECT_THROW(generate_dataset(spec_of(""), 1, dir.path()), SystemError);
  EXPECT_THROW(generate_dataset(spec_of(""), 1, dir.path() + "/a/b"), SystemError);
}

TEST(Generate, AClashOfNamesIsAnError) {
  const DatasetSpec spec = spec_of(R"("groups":[{"count":1,"size_quantiles":[1]}],
      "entries":[{"kind":"file","path":"0"}])");
  EXPECT_THROW(generated(spec), SystemError);
}

TEST(Generate, GivesEveryEntryItsKindModeAndTime) {
  ::umask(077);
  const auto entries = generated(spec_of(R"("first_mtime_s":-3,"directory_mode":"0750",
      "groups":[{"folder":"g","count":2,"size_quantiles":[4]}],"entries":[
      {"kind":"file","path":"x/setuid","size":1,"mode":"4755"},
      {"kind":"directory","path":"x","mode":"0500"},
      {"kind":"directory","path":"hollow"},
      {"kind":"symlink","path":"link","target":"/etc/passwd"},
      {"kind":"fifo","path":"pipe","mode":"0620"},
      {"kind":"hardlink","path":"y/again","target":"x/setuid"},
      {"kind":"file","path":"forbidden","mode":"0000"}])"));
  ::umask(022);
  struct Wanted {
    const char* path;
    EntryType type;
    unsigned mode;
    int32_t number;
  };
  for (const Wanted& wanted :
       {Wanted{"forbidden", EntryType::file, 0, 10}, Wanted{"g", EntryType::directory, 0750, 1},
        Wanted{"g/0", EntryType::file, 0644, 2}, Wanted{"g/1", EntryType::file, 0644, 3},
        Wanted{"hollow", EntryType::directory, 0750, 6},
        Wanted{"link", EntryType::symlink, 0777, 7}, Wanted{"pipe", EntryType::fifo, 0620, 8},
        Wanted{"x", EntryType::directory, 0500, 4}, Wanted{"x/setuid", EntryType::file, 04755, 5},
        Wanted{"y", EntryType::directory, 0750, 9}, Wanted{"y/again", EntryType::file, 04755, 5}}) {
    const Entry& entry = entry_at(entries, wanted.path);
    EXPECT_EQ(entry.type, wanted.type) << wanted.path;
    EXPECT_EQ(entry.mode, wanted.mode) << wanted.path;
    EXPECT_EQ(entry.mtime_s, -3 + wanted.number) << wanted.path;
    EXPECT_EQ(entry.mtime_ns, wanted.number) << wanted.path;
  }
  EXPECT_EQ(entries.size(), 11u);
  EXPECT_EQ(entry_at(entries, "y/again").hard_link, "x/setuid");
  EXPECT_EQ(entry_at(entries, "link").target, "/etc/passwd");
}

// Cases A04, A07, A09, A25, A29: names are bytes.
TEST(Generate, LandsEveryNameOfTheField) {
  std::vector<std::string> names = {"plain.txt",
                                    "foo\xff"
                                    "bar",
                                    "-rf",
                                    "--help",
                                    "-1,0,1.txt",
                                    "a:b",
                                    "has\\backslash",
                                    "caf\xc3\xa9",
                                    "cafe\xcc\x81",
                                    "\x1b[31m<img src=x onerror=alert(1)>&\".txt",
                                    "new\nline",
                                    "cr\r",
                                    " ",
                                    "~",
                                    "*",
                                    "$(touch pwn)",
                                    std::string(255, 'n')};
  std::string letters;
  for (int i = 0; i < 127; ++i) letters += "\xc3\xa9";
  names.push_back(letters + "x");
  Json list = Json::array();
  for (const std::string& name : names) {
    list.push(Json::object({{"kind", "file"}, {"path", escape_name(name)}, {"size", 4}}));
  }
  const auto entries = generated(spec_of("\"entries\":" + list.dump()));
  EXPECT_EQ(entries.size(), names.size());
  for (const std::string& name : names) EXPECT_TRUE(entry_at(entries, name).sha256);
  EXPECT_NE(entry_at(entries, "caf\xc3\xa9").sha256, entry_at(entries, "cafe\xcc\x81").sha256);
  EXPECT_EQ(paths_of(read_manifest(manifest_of(entries))), paths_of(entries));
}

// Case A15: zeros are a hole.
TEST(Generate, ZerosTakeNoSpace) {
  const auto entries = generated(
      spec_of(R"("entries":[{"kind":"file","path":"z","size":268435456,"content":"zeros"}])"));
  EXPECT_EQ(entries[0].size, 268435456);
  EXPECT_EQ(entries[0].allocated_bytes, 0);
  EXPECT_EQ(to_hex(*entries[0].sha256),
            "a6d72ac7690f53be6ae46ba88506bd97302a093f7108472bd9efc3cefda06484");
}

// Case A28.
TEST(Generate, EmptyThingsAreThere) {
  const auto entries = generated(spec_of(R"("groups":[{"count":10,"size_quantiles":[0]}],
      "entries":[{"kind":"directory","path":"a"},{"kind":"directory","path":"b/c"}])"));
  EXPECT_EQ(entries.size(), 13u);
  EXPECT_EQ(to_hex(*entry_at(entries, "3").sha256),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(DrawnSize, FollowsTheQuantiles) {
  FileGroup group;
  group.count = 10'000;
  group.size_quantiles = {0, 100, 1'000, 100'000};
  int64_t total = 0;
  int64_t low = 0;
  for (int64_t i = 0; i < group.count; ++i) {
    const int64_t size = drawn_size(group, 0, 1, i);
    ASSERT_GE(size, 0);
    ASSERT_LE(size, 100'000);
    total += size;
    low += size < 100;
  }
  EXPECT_NEAR(static_cast<double>(low), 3'333, 3);  // evenly spread, not merely at random
  EXPECT_NEAR(static_cast<double>(total) / 10'000, (50 + 550 + 50'500) / 3.0, 20);
  EXPECT_NE(drawn_size(group, 0, 1, 0), drawn_size(group, 1, 1, 0));
}

}  // namespace
}  // namespace fairwire
