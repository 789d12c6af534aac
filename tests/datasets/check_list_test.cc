#include "datasets/check_list.h"

#include <cstdio>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

using namespace std::string_literals;

const std::string kHex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const std::string kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

CheckList read(const std::string& text) {
  std::istringstream in(text);
  return read_sha256sum(in, "list");
}

struct Line {
  std::string text;
  std::string path;
};

class ListLine : public testing::TestWithParam<Line> {};

TEST_P(ListLine, GivesTheNameInBytes) {
  const CheckList list = read(GetParam().text);
  ASSERT_EQ(list.entries.size(), 1u);
  EXPECT_EQ(list.entries[0].path, GetParam().path);
  EXPECT_EQ(to_hex(*list.entries[0].sha256), kHex);
  EXPECT_TRUE(list.entries[0].content_only);
  EXPECT_FALSE(list.had_crlf);
}

INSTANTIATE_TEST_SUITE_P(
    All, ListLine,
    testing::Values(Line{kHex + "  f\n", "f"}, Line{kHex + "  f", "f"}, Line{kHex + " *f\n", "f"},
                    Line{kHex + "  ./d/f\n", "d/f"}, Line{kHex + "  d//./f\n", "d/f"},
                    Line{kHex + "   two  spaces \n", " two  spaces "},
                    Line{kHex + "  *star\n", "*star"},
                    Line{kHex + "  foo\xff"
                                "bar\n",
                         "foo\xff"
                         "bar"},
                    Line{kHex + "  back\\slash\n", "back\\slash"},  // not escaped: taken as it is
                    Line{"\\" + kHex + "  has\\\\backslash/test\n", "has\\backslash/test"},
                    Line{"\\" + kHex + "  new\\nline\\r\n", "new\nline\r"},
                    Line{"SHA256 (f) = " + kHex + "\n", "f"},
                    Line{"SHA256 (a) = b) = " + kHex + "\n", "a) = b"},
                    Line{"\\SHA256 (a\\nb) = " + kHex + "\n", "a\nb"},
                    Line{"9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08  f\n",
                         "f"}));

class RefusedList : public testing::TestWithParam<Refused> {};

TEST_P(RefusedList, NamesTheLine) {
  expect_refused(GetParam(), [](const std::string& text) { read(text); });
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedList,
    testing::Values(Refused{"", "line 1", "empty"}, Refused{"\n", "line 1", "64 hex digits"},
                    Refused{kHex + "  a\n\n" + kHex + "  b\n", "line 2", "64 hex digits"},
                    Refused{kHex + " f\n", "line 1", "two spaces"},
                    Refused{kHex + "\n", "line 1", "two spaces"},
                    Refused{kHex + "  \n", "line 1", "empty"},
                    Refused{kHex.substr(1) + "  f\n", "line 1", "64 hex digits"},
                    Refused{"x" + kHex.substr(1) + "  f\n", "line 1", "64 hex digits"},
                    Refused{kHex + "  /etc/passwd\n", "line 1", "absolute"},
                    Refused{kHex + "  a/../../b\n", "line 1", ".."},
                    Refused{kHex + "  .\n", "line 1", "empty"},
                    Refused{kHex + "  a\0b\n"s, "line 1", "NUL"},
                    Refused{"\\" + kHex + "  a\\tb\n", "line 1", "backslash"},
                    Refused{"\\" + kHex + "  a\\", "line 1", "backslash"},
                    Refused{"SHA256 (f) = 12\n", "line 1", "SHA256 (NAME)"},
                    Refused{"SHA256 () = " + kHex + "\n", "line 1", "empty"},
                    Refused{"SHA512 (f) = " + kHex + "\n", "line 1", "64 hex digits"},
                    Refused{kHex + "  f\n" + kEmpty + "  ./f\n", "name \"f\"", "two different"},
                    Refused{kHex + "  " + std::string(3u << 20, 'n'), "line 1", "2 MiB"},
                    Refused{kHex + "  " + std::string(256, 'n') + "\n", "line 1", "255"}));

// Case A03.
TEST(CheckListCrlf, IsAcceptedAndReportedOnce) {
  const CheckList list = read(kHex + "  a\r\n" + kEmpty + " *b\r\n");
  EXPECT_TRUE(list.had_crlf);
  EXPECT_EQ(paths_of(list.entries), (std::vector<std::string>{"a", "b"}));
  const CheckList named = read("\\" + kHex + "  ends in cr\\r\r\n");
  EXPECT_EQ(named.entries[0].path, "ends in cr\r");
  const CheckList unix_list = read("\\" + kHex + "  ends in cr\\r\n");
  EXPECT_EQ(unix_list.entries[0].path, "ends in cr\r");
  EXPECT_FALSE(unix_list.had_crlf);
}

TEST(CheckList, IsSortedByBytesAndWithoutTwins) {
  const CheckList list =
      read(kHex + "  b\n" + kHex + "  a/x\n" + kHex + "  a-b\n" + kHex + "  ./b\n");
  EXPECT_EQ(paths_of(list.entries), (std::vector<std::string>{"a-b", "a/x", "b"}));
}

TEST(CheckList, CutAnywhereIsReadOrRefused) {
  const std::string text = kHex + "  a\n\\" + kHex + "  b\\\\\nSHA256 (c) = " + kHex + "\n";
  for (size_t length = 0; length < text.size(); ++length) {
    try {
      read(text.substr(0, length));
    } catch (const FormatError&) {
    }
  }
}

// Case A01: what the real program writes for real names, if it is here.
TEST(CheckList, ReadsWhatTheHostsOwnProgramWrites) {
  const TempDir dir("list", "/dev/shm");
  const std::vector<std::string> names = {"back\\slash", "cr\r", "foo\xff", "new\nline", "plain"};
  for (const std::string& name : names) write_file(dir.path() + "/" + name, "test");
  for (const std::string mode : {"", "--tag ", "--binary "}) {
    const std::string command = "cd " + dir.path() + " && sha256sum " + mode + "./* 2>/dev/null";
    FILE* pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string text(65'536, '\0');
    text.resize(::fread(text.data(), 1, text.size(), pipe));
    if (::pclose(pipe) != 0) GTEST_SKIP() << "no sha256sum here";
    const CheckList list = read(text);
    EXPECT_EQ(paths_of(list.entries), names) << text;
    EXPECT_EQ(to_hex(*list.entries[0].sha256), kHex);
    const auto diff = diff_entries(source_of(list.entries), source_of(entries_of(dir.path())));
    EXPECT_TRUE(diff.same_file_set() && diff.same_content());
    EXPECT_EQ(diff.verified_bytes, 20);
  }
}

TEST(IsManifest, LooksWithoutReading) {
  std::istringstream manifest("{\"fairwire_manifest\":1}\n");
  EXPECT_TRUE(is_manifest(manifest));
  EXPECT_EQ(manifest.tellg(), 0);
  std::istringstream list(kHex + "  f\n");
  EXPECT_FALSE(is_manifest(list));
  std::istringstream nothing("");
  EXPECT_FALSE(is_manifest(nothing));
}

}  // namespace
}  // namespace fairwire
