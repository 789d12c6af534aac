#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace fairwire {
namespace {

using namespace std::string_literals;

struct Refused {
  std::string text;
  std::string pointer;
  std::string part_of_reason;
};

class RefusedJson : public testing::TestWithParam<Refused> {};

TEST_P(RefusedJson, NamesFilePlaceAndReason) {
  try {
    Json::parse(GetParam().text, "plan.json");
    FAIL() << "accepted " << GetParam().text;
  } catch (const FormatError& error) {
    EXPECT_EQ(error.file, "plan.json");
    EXPECT_EQ(error.pointer, GetParam().pointer);
    EXPECT_NE(error.reason.find(GetParam().part_of_reason), std::string::npos) << error.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, RefusedJson,
    testing::Values(Refused{"", "line 1, column 1", "unexpected end"},
                    Refused{"{\"a\":nan}", "line 1, column 7", "invalid literal"},
                    Refused{"[-nan]", "line 1, column 3", "invalid number"},
                    Refused{"[Infinity]", "line 1, column 2", "invalid literal"},
                    Refused{"[5.924e 06]", "line 1, column 8", "expected"},
                    Refused{"[01]", "line 1, column 3", "expected"},
                    Refused{"[+1]", "line 1, column 2", "invalid literal"},
                    Refused{"[.5]", "line 1, column 2", "invalid literal"},
                    Refused{"{\"a\":1,}", "line 1, column 8", "object key"},
                    Refused{"[1,]", "line 1, column 4", "unexpected ']'"},
                    Refused{"{'a':1}", "line 1, column 2", "invalid literal"},
                    Refused{"{} {}", "line 1, column 4", "expected end of input"},
                    Refused{"[1]\n\n  x", "line 3, column 3", "expected end of input"},
                    Refused{"[1, // no\n2]", "line 1, column 5", "invalid literal"},
                    Refused{"[\"\xff\"]", "line 1, column 3", "ill-formed UTF-8"},
                    Refused{"[\"\xed\xa0\x80\"]", "line 1, column 4", "ill-formed UTF-8"},
                    Refused{"[\"\\ud800\"]", "line 1, column 9", "surrogate"},
                    Refused{"[\"a\nb\"]", "line 1, column 4", "control character"},
                    Refused{"[\"\\x41\"]", "line 1, column 4", "invalid string"},
                    Refused{"[1e999]", "line 1, column 6", "overflow"},
                    Refused{"{}\0"s, "line 1, column 3", "NUL"},
                    Refused{"[1,\n\0x"s, "line 2, column 1", "NUL"}));

INSTANTIATE_TEST_SUITE_P(
    Values, RefusedJson,
    testing::Values(Refused{R"({"a":1,"a":2})", "/a", "twice"},
                    Refused{R"({"b":[0,{"x/y~":{"c":1,"c":1}}]})", "/b/1/x~1y~0/c", "twice"},
                    Refused{"9223372036854775808", "/", "2^63 - 1"},
                    Refused{"[0,18446744073709551616]", "/1", "2^63 - 1"},
                    Refused{"{\"n\":-9223372036854775809}", "/n", "2^63 - 1"},
                    Refused{"[123456789012345678901234567890]", "/0", "2^63 - 1"}));

TEST(JsonParse, RefusesControlBytesOfTheTextInTheReason) {
  try {
    Json::parse("[\"\x1b[31m\"]", "f");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
  }
}

TEST(JsonParse, BoundsTheDepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_NO_THROW(Json::parse(nested(64), "f"));
  EXPECT_THROW(Json::parse(nested(65), "f"), FormatError);
  EXPECT_THROW(Json::parse(std::string(1'000'000, '['), "f"), FormatError);
}

TEST(JsonParse, KeepsIntegersExact) {
  const Json json = Json::parse("[9223372036854775807,-9223372036854775808,0,-0]", "f");
  const auto& items = *json.if_array();
  EXPECT_EQ(*items[0].if_int(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(*items[1].if_int(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(json.dump(), "[9223372036854775807,-9223372036854775808,0,0]");
}

TEST(JsonParse, TellsIntegersFromReals) {
  const Json json = Json::parse("[1,1.0,1e3]", "f");
  const auto& items = *json.if_array();
  EXPECT_NE(items[0].if_int(), nullptr);
  EXPECT_EQ(items[1].if_int(), nullptr);
  EXPECT_EQ(*items[1].if_number(), 1.0);
  EXPECT_EQ(*items[2].if_number(), 1000.0);
}

TEST(JsonParse, ReadsAFileUpToItsLimit) {
  EXPECT_THROW(Json::parse_file("/dev/zero", 1000), SystemError);
  EXPECT_THROW(Json::parse_file("/nonexistent/plan.json"), SystemError);
}

}  // namespace
}  // namespace fairwire
