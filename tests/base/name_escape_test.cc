#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "base/log.h"

namespace fairwire {
namespace {

using namespace std::string_literals;

struct Spelling {
  std::string bytes;
  std::string text;
};

class NameSpelling : public testing::TestWithParam<Spelling> {};

TEST_P(NameSpelling, GoesThereAndBack) {
  EXPECT_EQ(escape_name(GetParam().bytes), GetParam().text);
  EXPECT_EQ(unescape_name(GetParam().text), GetParam().bytes);
  EXPECT_EQ(printable(GetParam().bytes), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    All, NameSpelling,
    testing::Values(
        Spelling{"", ""}, Spelling{"a b", "a b"}, Spelling{"a\\b", "a\\\\b"},
        Spelling{"\\x41", "\\\\x41"}, Spelling{"foo\xff"s + "bar", "foo\\xffbar"},
        Spelling{"caf\xc3\xa9", "caf\xc3\xa9"}, Spelling{"cafe\xcc\x81", "cafe\xcc\x81"},
        Spelling{"\xc3", "\\xc3"}, Spelling{"\xc3("s, "\\xc3("}, Spelling{"\xc0\xaf", "\\xc0\\xaf"},
        Spelling{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        Spelling{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        Spelling{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}, Spelling{"\x1b[31m", "\\x1b[31m"},
        Spelling{"\xc2\x9b"
                 "31m",
                 "\\xc2\\x9b31m"},
        Spelling{"\x7f\n\r\t"s, "\\x7f\\x0a\\x0d\\x09"}, Spelling{"\0"s, "\\x00"},
        Spelling{"\xe2\x80\xae"
                 "txt",
                 "\\xe2\\x80\\xaetxt"},
        Spelling{"<img src=x onerror=alert(1)>&\".txt", "<img src=x onerror=alert(1)>&\".txt"}));

TEST(NameEscape, IsReversibleForEveryPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string name{static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(unescape_name(escape_name(name)), name) << first << ' ' << second;
      ASSERT_NO_THROW(Json::parse(Json(escape_name(name)).dump(), "f"));
    }
  }
}

TEST(NameEscape, EachNameHasOneSpelling) {
  for (const char* text : {"\\", "\\x", "\\x4", "\\x41", "\\xC3", "\\xc3\\xa9", "\\n", "a\\", "\n",
                           "\xff", "\xc2\x9b", "\\\\\\", "\\xg0"}) {
    EXPECT_FALSE(unescape_name(text)) << text;
  }
}

TEST(Log, LetsNoByteDriveTheTerminal) {
  testing::internal::CaptureStderr();
  log_warning("name \x1b[31m \xc2\x9b \xff caf\xc3\xa9 a\\x1b\nsecond\tline");
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "fairwire: warning: name \\x1b[31m \\xc2\\x9b \\xff caf\xc3\xa9 a\\x1b\nsecond\tline\n");
}

}  // namespace
}  // namespace fairwire
