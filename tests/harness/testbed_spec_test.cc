#include "harness/testbed_spec.h"

#include <gtest/gtest.h>

#include "harness/data_files.h"
#include "tests/harness/refusal.h"

namespace fairwire {
namespace {

constexpr char kEmulated[] = R"({
  "schema": 1, "name": "t", "machines": [
    {"name": "a", "kind": "netns", "work_bytes": 1073741824, "root_bytes": 104857600},
    {"name": "b", "kind": "netns"}],
  "wires": [{"name": "away", "kind": "tun", "title": "40 Mbit/s, 80 ms",
    "access": [{"machine": "*", "up": {"rate": "40mbit", "queue_bytes": 400000},
                "down": {"rate": "1gbit"},
                "nat": {"kind": "full-cone", "udp_timeout_s": 30}}],
    "paths": [{"from": "a", "to": "b", "delay_ms": 40, "jitter_ms": 0.5, "loss": 0.001,
               "rate": "1000kbit", "queue_bytes": 2000}],
    "round_trip_bound": 0.01, "goodput_bound": 0.01, "late_bound_ms": 2}]})";

TEST(TestbedSpec, EveryFieldOfAnEmulatedWireIsRead) {
  const TestbedSpec testbed = parse_testbed(Json::parse(kEmulated, "t.json"), "t.json");
  EXPECT_EQ(testbed.machine("a")->work_bytes, 1 << 30);
  const WireSpec* wire = testbed.wire("away");
  ASSERT_NE(wire, nullptr);
  EXPECT_EQ(wire->access[0].up.bits_per_second, 40'000'000);
  EXPECT_EQ(wire->access[0].up.queue_bytes, 400'000);
  EXPECT_EQ(wire->access[0].down.bits_per_second, 1'000'000'000);
  EXPECT_EQ(wire->access_of("b").nat, (NatOptions{NatKind::full_cone, std::chrono::seconds(30), {}}));
  EXPECT_EQ(wire->paths[0].delay, std::chrono::milliseconds(40));
  EXPECT_EQ(wire->paths[0].jitter, std::chrono::microseconds(500));
  EXPECT_DOUBLE_EQ(wire->paths[0].loss, 0.001);
  EXPECT_EQ(wire->late_bound, std::chrono::milliseconds(2));
  EXPECT_EQ(testbed.machine("nobody"), nullptr);
}

#define HEAD R"({"schema": 1, "name": "t", )"
#define OPEN R"(, "wires": [{"name": "w", "kind": "open"}]})"

TEST(TestbedSpec, WhatIsWrongIsNamedWithItsPlace) {
  const Refusal refusals[] = {
      {HEAD R"("machines": [])" OPEN, "/machines", "1 to 16"},
      {HEAD R"("machines": [{"name": "A", "kind": "netns"}])" OPEN, "/machines/0/name", "a-z"},
      {HEAD R"("machines": [{"name": "a", "kind": "vm"}])" OPEN, "/machines/0/kind",
       "none of: local"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns", "host": "x"}])" OPEN, "/machines/0/host",
       "unknown key"},
      {HEAD R"("machines": [{"name": "a", "kind": "ssh", "host": "h"}])" OPEN, "/machines/0",
       "\"address\" is missing"},
      {HEAD
       R"("machines": [{"name": "a", "kind": "ssh", "host": "h", "address": "h.example"}])" OPEN,
       "/machines/0/address", "numeric"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns"}, {"name": "a", "kind": "netns"}])" OPEN,
       "/machines/1/name", "twice"},
      {HEAD R"("machines": [{"name": "a", "kind": "local"}])" OPEN, "/wires/0/kind",
       "needs \"real\""},
      {HEAD
       R"("machines": [{"name": "a", "kind": "netns"}], "wires": [{"name": "w", "kind": "real"}]})",
       "/wires/0/kind", "use open or tun"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns"}], "wires": []})", "/wires",
       "at least one"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns"}],
        "wires": [{"name": "w", "kind": "open", "paths": []}]})",
       "/wires/0/paths", "unknown key"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns"}],
        "wires": [{"name": "w", "kind": "tun", "access": [{"machine": "z"}]}]})",
       "/wires/0", "lacks"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns"}],
        "wires": [{"name": "w", "kind": "tun", "access": [{"machine": "a", "up": {"rate": "fast"}}]}]})",
       "/wires/0/access/0/up/rate", "is no rate"},
      {HEAD R"("machines": [{"name": "a", "kind": "netns"}],
        "wires": [{"name": "w", "kind": "tun", "paths": [{"from": "a", "to": "a", "loss": 2}]}]})",
       "/wires/0/paths/0/loss", "0 to 1"},
  };
  for (const Refusal& refusal : refusals) {
    expect_refused(refusal, [](const Json& json) { parse_testbed(json, "file.json"); });
  }
}

TEST(Rate, WholeNumbersWithAUnit) {
  const auto rate = [](const char* text) {
    const Json json(text);
    return parse_rate(JsonView(json, "f"));
  };
  EXPECT_EQ(rate("8000bit"), 8000);
  EXPECT_EQ(rate("1000kbit"), 1'000'000);
  EXPECT_EQ(rate("40mbit"), 40'000'000);
  EXPECT_EQ(rate("10gbit"), 10'000'000'000);
  for (const char* bad :
       {"", "40", "mbit", "-1mbit", "0mbit", "1.5gbit", "40mbits", "9999999gbit"}) {
    EXPECT_THROW(rate(bad), FormatError) << bad;
  }
}

TEST(TestbedSpec, EveryShippedTestbedLoads) {
  for (const std::string& name : list_data_files(kTestbedsRoom)) {
    EXPECT_EQ(load_testbed(find_data_file(kTestbedsRoom, name, "", "")).name, name);
  }
}

}  // namespace
}  // namespace fairwire
