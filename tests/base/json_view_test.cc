#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace fairwire {
namespace {

const Json& sample() {
  static const Json json = Json::parse(
      R"({"s":"word","e":"","i":5,"r":1.5,"b":true,"n":null,"l":["a",1],"o":{"k/~":{"x":1}}})",
      "f.json");
  return json;
}

struct Refusal {
  const char* name;
  std::function<void(const JsonView&)> read;
  std::string pointer;
  std::string part_of_reason;
};

class JsonViewRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(JsonViewRefusal, NamesThePlace) {
  try {
    GetParam().read(JsonView(sample(), "f.json"));
    FAIL() << "accepted";
  } catch (const FormatError& error) {
    EXPECT_EQ(error.file, "f.json");
    EXPECT_EQ(error.pointer, GetParam().pointer);
    EXPECT_NE(error.reason.find(GetParam().part_of_reason), std::string::npos) << error.reason;
  }
}

using V = const JsonView&;
INSTANTIATE_TEST_SUITE_P(
    All, JsonViewRefusal,
    testing::Values(
        Refusal{"missing", [](V v) { v.at("zz"); }, "/", "\"zz\" is missing"},
        Refusal{"string", [](V v) { v.at("i").as_string(); }, "/i", "string"},
        Refusal{"empty", [](V v) { v.at("e").as_nonempty_string(); }, "/e", "empty"},
        Refusal{"integer", [](V v) { v.at("r").as_int(); }, "/r", "integer"},
        Refusal{"range", [](V v) { v.at("i").as_int(6, 9); }, "/i", "from 6 to 9, not 5"},
        Refusal{"range_or", [](V v) { v.int_or("i", 0, 0, 4); }, "/i", "from 0 to 4"},
        Refusal{"number", [](V v) { v.at("s").as_number(); }, "/s", "number"},
        Refusal{"flag", [](V v) { v.at("n").as_bool(); }, "/n", "true or false"},
        Refusal{"word",
                [](V v) {
                  v.at("s").as_one_of({"x", "y"});
                },
                "/s", "none of: x, y"},
        Refusal{"array", [](V v) { v.at("o").items(); }, "/o", "array"},
        Refusal{"object", [](V v) { v.at("l").members(); }, "/l", "object"},
        Refusal{"object_find", [](V v) { v.at("l").find("a"); }, "/l", "object"},
        Refusal{"strings", [](V v) { v.at("l").as_strings(); }, "/l/1", "string"},
        Refusal{"unknown",
                [](V v) {
                  v.at("o").allow_only({"a", "b"});
                },
                "/o/k~1~0", "a, b"},
        Refusal{"deep", [](V v) { v.at("o").at("k/~").at("x").as_string(); }, "/o/k~1~0/x", ""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(JsonView, OptionalMembersHaveDefaults) {
  const JsonView view(sample(), "f.json");
  EXPECT_EQ(view.string_or("s", "x"), "word");
  EXPECT_EQ(view.string_or("zz", "x"), "x");
  EXPECT_EQ(view.int_or("i", 0, 0, 9), 5);
  EXPECT_EQ(view.int_or("zz", 7, 0, 9), 7);
  EXPECT_TRUE(view.bool_or("b", false));
  EXPECT_FALSE(view.find("zz"));
  EXPECT_EQ(view.at("i").as_number(), 5.0);
}

}  // namespace
}  // namespace fairwire
