// The decision itself: what it takes to be identical, and what proves it.
#include "harness/verify.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "datasets/generate.h"
#include "datasets/manifest.h"
#include "datasets/tree_walk.h"

namespace fairwire {
namespace {

class Judge : public testing::Test {
 protected:
  // Two trees that are alike.
  void SetUp() override {
    const Json recipe = Json::parse(R"json({"schema":2,"name":"t","title":"t","entries":[
        {"kind":"file","path":"d/f","size":1000},{"kind":"file","path":"empty"},
        {"kind":"file","path":"holes","size":1000000,"content":"sparse"},
        {"kind":"hardlink","path":"second","target":"d/f"},
        {"kind":"symlink","path":"link","target":"nowhere"}]})json",
                                    "recipe");
    const DatasetSpec spec = parse_dataset_spec(recipe, "recipe");
    generate_dataset(spec, 1, dir_.path() + "/wanted");
    generate_dataset(spec, 1, dir_.path() + "/landed");
  }

  std::string manifest(const std::string& tree, bool hash = true) {
    const std::string out = dir_.path() + "/" + tree + ".manifest";
    std::ofstream file(out, std::ios::binary | std::ios::trunc);
    ManifestWriter writer(file);
    WalkOptions options;
    options.hash = hash;
    walk_tree(dir_.path() + "/" + tree, options, [&](const Entry& entry) { writer.write(entry); });
    writer.finish();
    return out;
  }

  VerdictRecord judge(const std::vector<std::string>& keeps = {}, bool wanted_hashed = true,
                      bool landed_hashed = true) {
    return judge_manifests(manifest("wanted", wanted_hashed), manifest("landed", landed_hashed),
                           keeps);
  }

  std::string landed(const std::string& path) const { return dir_.path() + "/landed/" + path; }
  void set_time(const std::string& path, int64_t seconds, long nanoseconds) {
    const timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    check_system(::utimensat(AT_FDCWD, landed(path).c_str(), times, AT_SYMLINK_NOFOLLOW), "touch",
                 path);
  }
  static PropertyRecord property(const VerdictRecord& verdict, const std::string& name) {
    for (const PropertyRecord& property : verdict.properties) {
      if (property.name == name) return property;
    }
    throw std::out_of_range(name);
  }

  TempDir dir_{"judge", "/dev/shm"};
};

const std::vector<std::string> kEverything = {"mode",   "mtime", "symlink", "hard-link",
                                              "sparse", "xattr", "owner"};

TEST_F(Judge, EqualTreesAreIdenticalWithFullCoverage) {
  const VerdictRecord verdict = judge(kEverything);
  EXPECT_EQ(verdict.overall(), Verdict::identical);
  EXPECT_EQ(verdict.wanted_root, verdict.landed_root);
  EXPECT_EQ(verdict.wanted_root.size(), 64u);
  EXPECT_EQ(verdict.wanted_files, 4);
  EXPECT_EQ(verdict.verified_files, 4);
  EXPECT_EQ(verdict.landed_files, 4);
  EXPECT_EQ(verdict.hashed_files, 4);
  EXPECT_EQ(verdict.landed_bytes, 1'001'000);
  EXPECT_EQ(verdict.hashed_bytes, 1'001'000);
  EXPECT_EQ(verdict.verified_bytes, verdict.wanted_bytes);
}

// A judge that skipped hashing, on whichever side, never says identical.
TEST_F(Judge, WithoutHashesNothingIsIdentical) {
  const VerdictRecord neither = judge(kEverything, false, false);
  EXPECT_EQ(neither.content, Verdict::unknown);
  EXPECT_NE(neither.overall(), Verdict::identical);
  EXPECT_EQ(neither.verified_files, 0);
  EXPECT_EQ(neither.hashed_files, 0);
  EXPECT_EQ(neither.hashed_bytes, 0);
  EXPECT_EQ(neither.landed_bytes, 1'001'000);
  EXPECT_EQ(judge({}, true, false).overall(), Verdict::different);
  EXPECT_EQ(judge({}, false, true).overall(), Verdict::different);
}

// One file of many is enough, even an empty one.
TEST_F(Judge, OneFileWithoutADigestIsNotVerified) {
  for (const char* left_out : {"d/f", "empty", "holes"}) {
    for (const char* tree : {"wanted", "landed"}) {
      std::ofstream out(dir_.path() + "/" + tree + ".partial", std::ios::trunc);
      ManifestWriter writer(out);
      walk_tree(dir_.path() + "/" + tree, {}, [&](Entry entry) {
        if (entry.path == left_out || entry.hard_link == left_out) entry.sha256.reset();
        writer.write(entry);
      });
      writer.finish();
    }
    const VerdictRecord verdict =
        judge_manifests(dir_.path() + "/wanted.partial", dir_.path() + "/landed.partial", {});
    EXPECT_EQ(verdict.content, Verdict::unknown) << left_out;
    EXPECT_EQ(verdict.overall(), Verdict::unknown) << left_out;
    EXPECT_LT(verdict.verified_files, verdict.wanted_files);
  }
}

TEST_F(Judge, AByteIsAnotherRootAndAnotherContent) {
  const FileDescriptor file = open_file(landed("d/f"), O_WRONLY);
  ASSERT_EQ(::pwrite(file.get(), "!", 1, 500), 1);
  set_time("d/f", 1'700'000'000, 0);
  const VerdictRecord verdict = judge();
  EXPECT_EQ(verdict.content, Verdict::different);
  EXPECT_EQ(verdict.file_set, Verdict::identical);
  EXPECT_NE(verdict.wanted_root, verdict.landed_root);
  EXPECT_EQ(verdict.different, 2);  // both names
}

// Case A18: a difference of one nanosecond can be reported. Claimed it is required, else counted.
TEST_F(Judge, ANanosecondCountsForWhoClaimsIt) {
  set_time("empty", -1, 500'000'001);
  ASSERT_EQ(judge({"mtime"}).metadata, Verdict::different);
  const VerdictRecord unclaimed = judge({"mode"});
  EXPECT_EQ(unclaimed.metadata, Verdict::identical);
  EXPECT_EQ(property(unclaimed, "mtime").different, 1);
  EXPECT_EQ(property(unclaimed, "mtime-seconds").different, 1);
  EXPECT_TRUE(unclaimed.first.empty());  // counted, and not in the way of what matters
}

TEST_F(Judge, WholeSecondsForgiveTheRest) {
  struct stat status {};
  ASSERT_EQ(::stat(landed("empty").c_str(), &status), 0);
  set_time("empty", status.st_mtim.tv_sec, status.st_mtim.tv_nsec + 1);
  const VerdictRecord seconds = judge({"mtime-seconds"});
  EXPECT_EQ(seconds.metadata, Verdict::identical);
  EXPECT_EQ(seconds.mtime_different, 0);
  EXPECT_EQ(property(seconds, "mtime").different, 1);
  EXPECT_EQ(judge({"mtime"}).metadata, Verdict::different);
}

// Case A31: content and metadata are two answers.
TEST_F(Judge, SetuidIsLostOnlyForWhoClaimsModes) {
  ASSERT_EQ(::chmod((dir_.path() + "/wanted/d/f").c_str(), 04755), 0);
  EXPECT_EQ(judge({"mode"}).metadata, Verdict::different);
  const VerdictRecord unclaimed = judge();
  EXPECT_EQ(unclaimed.overall(), Verdict::identical);
  EXPECT_EQ(unclaimed.mode_different, 2);  // both names
}

// Cases A13 and A15: right bytes, but the space of a copy.
TEST_F(Judge, LinksAndHolesAreLinesOfTheirOwn) {
  const std::string copy = read_file(landed("d/f"), 1 << 20);
  ASSERT_EQ(::unlink(landed("second").c_str()), 0);
  write_file(landed("second"), copy);
  const std::string full = read_file(landed("holes"), 1 << 20);
  ASSERT_EQ(::unlink(landed("holes").c_str()), 0);
  write_file(landed("holes"), full);
  const VerdictRecord verdict = judge();
  EXPECT_EQ(verdict.overall(), Verdict::identical);
  EXPECT_EQ(property(verdict, "hard-link").compared, 1);
  EXPECT_EQ(property(verdict, "hard-link").different, 1);
  EXPECT_EQ(property(verdict, "sparse").compared, 1);
  EXPECT_EQ(property(verdict, "sparse").different, 1);
  EXPECT_EQ(judge({"hard-link"}).metadata, Verdict::different);
  EXPECT_EQ(judge({"sparse"}).metadata, Verdict::different);
}

// Case A32: a folder where a file was wanted is one entry of another type, and what lies in it is
// extra.
TEST_F(Judge, AFolderInTheWayOfAFileIsNamed) {
  ASSERT_EQ(::unlink(landed("empty").c_str()), 0);
  ASSERT_EQ(::mkdir(landed("empty").c_str(), 0755), 0);
  write_file(landed("empty/left over"), "x");
  const VerdictRecord verdict = judge();
  EXPECT_EQ(verdict.content, Verdict::different);
  EXPECT_EQ(verdict.file_set, Verdict::different);
  EXPECT_EQ(verdict.extra, 1);
  EXPECT_EQ(property(verdict, "type").different, 1);
}

// Case A26: same size, same time, other bytes: only content can tell.
TEST_F(Judge, SameSizeAndTimeIsNotSameContent) {
  struct stat status {};
  ASSERT_EQ(::stat(landed("d/f").c_str(), &status), 0);
  {
    const FileDescriptor file = open_file(landed("d/f"), O_WRONLY);
    ASSERT_EQ(::pwrite(file.get(), "BBBB", 4, 0), 4);
  }
  set_time("d/f", status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  EXPECT_EQ(judge({"mtime"}).metadata, Verdict::identical);
  EXPECT_EQ(judge({"mtime"}).content, Verdict::different);
}

TEST_F(Judge, AListOfDigestsIsVerifiedByContentAlone) {
  const std::string list = dir_.path() + "/list";
  std::string text;
  for (const char* name : {"d/f", "empty", "holes", "second"}) {
    text += to_hex(sha256(read_file(landed(name), 1 << 20))) + "  " + name + "\n";
  }
  write_file(list, text);
  const VerifyResult result = verify_directory(dir_.path() + "/landed", list, 1, {}, {});
  EXPECT_TRUE(result.content_only);
  EXPECT_TRUE(result.diff.covers_all());
  EXPECT_TRUE(result.diff.same_content() && result.diff.same_file_set());
}

}  // namespace
}  // namespace fairwire
