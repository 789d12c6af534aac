#include "harness/listing.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_dir.h"
#include "datasets/manifest.h"

namespace fairwire {
namespace {

ListingFormat rsync_like() {
  ListingFormat format;
  format.match = "^-[^ ]+ +([0-9]+) [0-9/]+ [0-9:]+ (.*)$";
  format.octal = "\\#";
  return format;
}

class ListingTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream out(manifest_, std::ios::binary);
    ManifestWriter writer(out);
    Entry folder;
    folder.path = "d";
    folder.type = EntryType::directory;
    for (const auto& [path, size] :
         std::vector<std::pair<std::string, int64_t>>{{"a b", 5}, {"d/new\nline", 7}, {"z", 0}}) {
      if (path[0] == 'd') writer.write(folder);
      Entry entry;
      entry.path = path;
      entry.size = size;
      writer.write(entry);
    }
    writer.finish();
  }

  VerdictRecord compare(const std::string& text, const ListingFormat& format = rsync_like()) {
    kinds_.clear();
    return compare_listing(
        manifest_, read_listing(text, format),
        [this](const DifferenceRecord& d) { kinds_ += d.kind + " " + d.path + ";"; });
  }

  TempDir folder_{"fairwire-listing"};
  std::string manifest_ = folder_.path() + "/manifest";
  std::string kinds_;
};

constexpr char kRight[] =
    "drwxr-xr-x           4096 2026/12/01 11:28:40 .\n"
    "-rw-r--r--              0 2026/12/01 11:28:40 z\n"
    "-rw-r--r--              7 2026/12/01 11:28:40 d/new\\#012line\n"
    "lrwxrwxrwx              1 2026/12/01 11:28:40 l -> x\n"
    "-rw-r--r--              5 2026/12/01 11:28:40 a b\n";

TEST_F(ListingTest, InAnyOrderAndWithoutWhatIsNoFile) {
  const VerdictRecord verdict = compare(kRight);
  EXPECT_EQ(verdict.overall(), Verdict::identical) << kinds_;
  EXPECT_EQ(verdict.wanted_files, 3);
  EXPECT_EQ(verdict.verified_files, 3);
  EXPECT_EQ(verdict.landed_files, 3);
  EXPECT_EQ(verdict.verified_bytes, 0);
}

TEST_F(ListingTest, AWrongSizeIsContentAWrongNameIsTheFileSet) {
  std::string text = kRight;
  text.replace(text.find("  7 "), 4, "  8 ");
  EXPECT_EQ(compare(text).content, Verdict::different);
  EXPECT_EQ(compare(text).file_set, Verdict::identical);
  EXPECT_EQ(kinds_, "size d/new\\x0aline;");
  EXPECT_EQ(compare(std::string(kRight) + kRight).extra, 3) << "a name counts once";
  const VerdictRecord nothing = compare("");
  EXPECT_EQ(nothing.missing, 3);
  EXPECT_EQ(nothing.file_set, Verdict::different);
  EXPECT_EQ(nothing.content, Verdict::different);
  const VerdictRecord more = compare(std::string(kRight) + "-rw-r--r-- 1 2026/12/01 11:28:40 y");
  EXPECT_EQ(more.content, Verdict::identical);
  EXPECT_EQ(more.file_set, Verdict::different);
  EXPECT_EQ(kinds_, "extra y;");
}

TEST_F(ListingTest, LinesThatEndInZeroAndThePathFirst) {
  ListingFormat format;
  format.match = "^(.*) ([0-9]+)$";
  format.path = 1;
  format.end = '\0';
  const std::string text = {"a b 5\0d/new\nline 7\0z 0", 22};
  EXPECT_EQ(compare(text, format).overall(), Verdict::identical) << kinds_;
}

TEST(Listing, SizesOutOfRangeAndHalfEscapesAreNeverTaken) {
  ListingFormat format = rsync_like();
  format.match = "^([0-9]+) (.*)$";
  EXPECT_TRUE(read_listing("99999999999999999999 a\n", format).empty());
  EXPECT_EQ(read_listing("1 x\\#0", format).at(0).path, "x\\#0");
  EXPECT_EQ(read_listing("1 x\\#134#101", format).at(0).path, "x\\#101");
  EXPECT_EQ(read_listing("1 \\#377", format).at(0).path, "\xff");
}

}  // namespace
}  // namespace fairwire
