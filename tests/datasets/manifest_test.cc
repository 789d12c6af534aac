#include "datasets/manifest.h"

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

std::vector<Entry> sample() {
  Entry folder{.path = "a",
               .type = EntryType::directory,
               .mode = 01777,
               .mtime_s = -1,
               .mtime_ns = 500'000'000};
  Entry link{.path = "a-link", .type = EntryType::symlink, .mode = 0777, .target = "a/\xff"};
  Entry file{.path = "a/one\n",
             .size = 5,
             .mode = 0644,
             .mtime_s = 1,
             .mtime_ns = 999'999'999,
             .sha256 = sha256("hello")};
  Entry second = file;
  second.path = "a/two";
  second.hard_link = "a/one\n";
  Entry bad{.path = "b", .size = 7, .mode = 0, .problem = "cannot be opened: Permission denied"};
  Entry pipe{.path = "c", .type = EntryType::fifo, .mode = 0600};
  pipe.local.owner = {1000, 4294967294};
  Entry holes{.path = "d", .size = 1 << 20, .sha256 = sha256("holes")};
  holes.local.owner = {0, 0};
  holes.local.data_bytes = 65536;
  holes.local.xattrs = sha256("attributes");
  holes.local.capability = sha256("capability");
  folder.local.xattrs = sha256("of a folder");
  return {folder, link, file, second, bad, pipe, holes};
}

TEST(Manifest, RoundTripsEveryField) {
  const std::string text = manifest_of(sample());
  EXPECT_EQ(read_manifest(text), sample());
  EXPECT_EQ(manifest_of(read_manifest(text)), text);
}

TEST(Manifest, IsTheDocumentedText) {
  const std::string text = manifest_of({sample()[0], sample()[2]});
  const std::string hex = to_hex(sha256("hello"));
  const std::string before =
      "{\"fairwire_manifest\":2}\n"
      "{\"path\":\"a\",\"type\":\"directory\",\"mode\":\"1777\",\"mtime_s\":-1,"
      "\"mtime_ns\":500000000,\"local\":{\"xattrs\":\"" +
      to_hex(sha256("of a folder")) +
      "\"}}\n"
      "{\"path\":\"a/one\\\\x0a\",\"type\":\"file\",\"bytes\":5,\"mode\":\"0644\",\"mtime_s\":1,"
      "\"mtime_ns\":999999999,\"sha256\":\"" +
      hex + "\"}\n";
  const std::string leaf_1 =
      R"({"path":"a","type":"directory","mode":"1777","mtime_s":-1,"mtime_ns":500000000})";
  const std::string leaf_2 =
      R"({"path":"a/one\\x0a","type":"file","bytes":5,"mode":"0644","mtime_s":1,)"
      R"("mtime_ns":999999999,"sha256":")" +
      hex + "\"}";
  MerkleTree tree;
  tree.add(leaf_1);
  tree.add(leaf_2);
  EXPECT_EQ(text, before + "{\"end\":true,\"entries\":2,\"bytes\":5,\"root\":\"" +
                      to_hex(tree.root()) + "\",\"sha256\":\"" + to_hex(sha256(before)) + "\"}\n");
}

TEST(Manifest, FinishReturnsTheDigestOfTheWholeFile) {
  std::ostringstream out;
  ManifestWriter writer(out);
  writer.write(sample()[0]);
  const Digest digest = writer.finish();
  EXPECT_EQ(digest, sha256(out.str()));
}

TEST(Manifest, EmptyTreeHasHeaderAndEnd) {
  EXPECT_TRUE(read_manifest(manifest_of({})).empty());
}

TEST(Manifest, SeveralNamesCountTheirBytesOnce) {
  const std::string text = manifest_of(sample());
  EXPECT_NE(text.find("\"entries\":7,\"bytes\":1048588,"), std::string::npos);
}

TEST(Manifest, WriterRefusesDisorderAndFailingStreams) {
  std::ostringstream out;
  ManifestWriter writer(out);
  writer.write(sample()[1]);
  EXPECT_THROW(writer.write(sample()[1]), FormatError);
  EXPECT_THROW(writer.write(sample()[0]), FormatError);
  std::ofstream full("/dev/full");
  ManifestWriter to_full(full);
  EXPECT_THROW(to_full.finish(), SystemError);
}

TEST(DamagedManifest, CutAnywhereIsRefused) {
  const std::string text = manifest_of(sample());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(read_manifest(text.substr(0, length)), FormatError) << length;
  }
}

TEST(DamagedManifest, AnyChangedByteIsRefused) {
  const std::string text = manifest_of(sample());
  for (size_t at = 0; at < text.size(); ++at) {
    for (const int change : {1, 0x20, 0x80}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      EXPECT_THROW(read_manifest(damaged), FormatError) << at << ' ' << change;
    }
  }
}

TEST(DamagedManifest, LostAndDoubledLinesAreRefused) {
  const std::string text = manifest_of(sample());
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line + '\n');
  for (size_t skipped = 0; skipped < lines.size(); ++skipped) {
    std::string without, twice;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i != skipped) without += lines[i];
      twice += i == skipped ? lines[i] + lines[i] : lines[i];
    }
    EXPECT_THROW(read_manifest(without), FormatError) << skipped;
    EXPECT_THROW(read_manifest(twice), FormatError) << skipped;
  }
  EXPECT_THROW(read_manifest(text + "\n"), FormatError);
  EXPECT_THROW(read_manifest(text + text), FormatError);
}

TEST(DamagedManifest, ALineWithoutEndIsBounded) {
  const std::string text = "{\"fairwire_manifest\":2}\n" + std::string((16u << 20) + 1, ' ');
  expect_refused({text, "line 2", "16 MiB"}, read_manifest);
}

class RefusedLine : public testing::TestWithParam<Refused> {};

TEST_P(RefusedLine, NamesLineAndKey) {
  Refused refused = GetParam();
  refused.text = "{\"fairwire_manifest\":2}\n" + refused.text + "\n";
  expect_refused(refused, read_manifest);
}

std::string file_line(const std::string& path, const std::string& rest = "") {
  return R"({"path":")" + path +
         R"(","type":"file","bytes":1,"mode":"0644","mtime_s":0,"mtime_ns":0)" + rest + "}";
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedLine,
    testing::Values(
        Refused{"", "line 2", "unexpected end"}, Refused{"[]", "line 2", "object"},
        Refused{"{}", "line 2", "type"}, Refused{file_line("/a"), "line 2/path", "absolute"},
        Refused{file_line("a/../b"), "line 2/path", ".."},
        Refused{file_line("a\\\\x00"), "line 2/path", "NUL"},
        Refused{file_line("\\\\x41"), "line 2/path", "escape"},
        Refused{file_line("a") + "\n" + file_line("a"), "line 3", "out of order"},
        Refused{file_line("a/b") + "\n" + file_line("a-b"), "line 3", "out of order"},
        Refused{file_line("a", R"(,"color":1)"), "line 2/color", "unknown key"},
        Refused{file_line("a", R"(,"target":"b")"), "line 2/target", "unknown key"},
        Refused{file_line("a", R"(,"sha256":"ab")"), "line 2/sha256", "64"},
        Refused{file_line("a", R"(,"sha256":")" + std::string(64, 'A') + "\""), "line 2/sha256",
                "lower-case"},
        Refused{file_line("a", R"(,"hard_link":"b")"), "line 2/hard_link", "earlier"},
        Refused{file_line("a", R"(,"problem":"")"), "line 2/problem", "empty"},
        Refused{file_line("a", R"(,"problem":"x","sha256":")" + std::string(64, '0') + "\""),
                "line 2/problem", "contradicts"},
        Refused{R"({"path":"a","type":"door","mode":"0644","mtime_s":0,"mtime_ns":0})",
                "line 2/type", "no type"},
        Refused{
            R"({"path":"a","type":"directory","mode":"0644","mtime_s":0,"mtime_ns":1000000000})",
            "line 2/mtime_ns", "999999999"},
        Refused{R"({"path":"a","type":"directory","mode":"644","mtime_s":0,"mtime_ns":0})",
                "line 2/mode", "four octal"},
        Refused{R"({"path":"a","type":"directory","bytes":0,"mode":"0644"})", "line 2/bytes",
                "unknown key"},
        Refused{R"({"path":"a","type":"symlink","mode":"0777","mtime_s":0,"mtime_ns":0})", "line 2",
                "target"},
        Refused{file_line("a", R"(,"local":{})"), "line 2/local", "empty"},
        Refused{file_line("a", R"(,"local":{"uid":1})"), "line 2/local", "gid"},
        Refused{file_line("a", R"(,"local":{"uid":-1,"gid":0})"), "line 2/local/uid", "0"},
        Refused{file_line("a", R"(,"local":{"data_bytes":1})"), "line 2/local/data_bytes", "less"},
        Refused{file_line("a", R"(,"local":{"color":1})"), "line 2/local/color", "unknown key"},
        Refused{R"({"path":"a","type":"fifo","mode":"0644","mtime_s":0,"mtime_ns":0,)"
                R"("local":{"xattrs":"ab"}})",
                "line 2/local/xattrs", "unknown key"},
        Refused{R"({"end":false,"entries":0,"bytes":0,"sha256":""})", "line 2/end", "true"},
        Refused{R"({"end":true,"entries":1,"bytes":0,"sha256":""})", "line 2/entries", "0 entries"},
        Refused{R"({"end":true,"entries":0,"bytes":1,"sha256":""})", "line 2/bytes", "0 bytes"}));

TEST(Manifest, OtherVersionsAreRefused) {
  for (const char* version : {"0", "3", "-1", "21"}) {
    const std::string text = "{\"fairwire_manifest\":" + std::string(version) + "}\n";
    expect_refused({text, "line 1", "version"}, read_manifest);
  }
}

// What was written before there were "local" and "root" is read as long as there are such files.
TEST(Manifest, Schema1IsRead) {
  const std::string body = "{\"fairwire_manifest\":1}\n" + file_line("a") + "\n";
  const std::string end = R"({"end":true,"entries":1,"bytes":1,"sha256":")";
  const auto entries = read_manifest(body + end + to_hex(sha256(body)) + "\"}\n");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_TRUE(entries[0].local_unknown);
  const std::string local = file_line("a", R"(,"local":{"uid":0,"gid":0})");
  expect_refused({"{\"fairwire_manifest\":1}\n" + local + "\n", "line 2/local", "schema 1"},
                 read_manifest);
  const std::string root = R"({"end":true,"entries":0,"bytes":0,"root":""})";
  expect_refused({"{\"fairwire_manifest\":1}\n" + root + "\n", "line 2/root", "unknown key"},
                 read_manifest);
}

TEST(Manifest, TheRootIsCheckedApartFromTheDigest) {
  const std::string body = "{\"fairwire_manifest\":2}\n" + file_line("a") + "\n";
  const std::string end = R"({"end":true,"entries":1,"bytes":1,"root":")";
  const std::string sum = "\",\"sha256\":\"" + to_hex(sha256(body)) + "\"}\n";
  expect_refused({body + end + to_hex(sha256("")) + sum, "line 3/root", "changed"}, read_manifest);
}

TEST(AddBytes, StopsAtTheLargestNumber) {
  EXPECT_EQ(add_bytes(1, 2), 3);
  EXPECT_EQ(add_bytes(INT64_MAX - 1, 5), INT64_MAX);
}

}  // namespace
}  // namespace fairwire
