#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/json.h"

namespace fairwire {
namespace {

TEST(JsonDump, WritesOneCanonicalText) {
  const std::string text = R"({"z":1,"a":[true,null,"x\n\"\\\u007f"],"o":{},"e":[]})";
  EXPECT_EQ(Json::parse(text, "f").dump(), text);
}

TEST(JsonDump, PrettyTextParsesToTheSame) {
  const Json json = Json::parse(R"({"a":[1,{"b":[]}],"c":"é"})", "f");
  EXPECT_EQ(json.dump_pretty(),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": \"é\"\n}\n");
  EXPECT_EQ(Json::parse(json.dump_pretty(), "f"), json);
}

TEST(JsonDump, RealsStayRealsAndRoundTrip) {
  for (const double value : {0.0, -0.0, 1.0, 0.1, 1e300, 5e-324, 1.7976931348623157e308, -2.5}) {
    const std::string text = Json(value).dump();
    const Json back = Json::parse(text, "f");
    EXPECT_EQ(back.if_int(), nullptr) << text;
    EXPECT_EQ(*back.if_number(), value) << text;
    EXPECT_EQ(std::signbit(*back.if_number()), std::signbit(value)) << text;
  }
}

TEST(JsonDump, HasNoPlaceForNonNumbers) {
  EXPECT_THROW(Json(std::nan("")), std::range_error);
  EXPECT_THROW(Json(std::numeric_limits<double>::infinity()), std::range_error);
  EXPECT_THROW(Json(uint64_t{1} << 63), std::range_error);
  EXPECT_EQ(Json((uint64_t{1} << 63) - 1).dump(), "9223372036854775807");
}

TEST(JsonDump, IsJsonWhateverTheBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string text = Json(all).dump();
  EXPECT_NO_THROW(Json::parse(text, "f")) << text;
  EXPECT_EQ(Json("a\xff").dump(), "\"a\\ufffd\"");
  EXPECT_EQ(Json("\xc3").dump(), "\"\\ufffd\"");
}

TEST(JsonValue, SetReplacesAndKeepsOrder) {
  Json json;
  json.set("b", 1).set("a", 2).set("b", 3);
  EXPECT_EQ(json.dump(), R"({"b":3,"a":2})");
  EXPECT_EQ(json.find("c"), nullptr);
  Json list;
  list.push(1).push("x");
  EXPECT_EQ(list.dump(), R"([1,"x"])");
}

}  // namespace
}  // namespace fairwire
