#include "drivers/wires/wire_model.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "drivers/wires/forwarder.h"
#include "drivers/wires/lateness.h"

namespace fairwire {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(Lateness, TheHistogramHasEverySampleByDoublings) {
  Lateness late(microseconds(900));
  for (const int us : {0, 1, 1, 3, 100, 100, 5000}) late.add(microseconds(us), 1);
  const Json json = late.to_json();
  std::vector<std::pair<int64_t, int64_t>> rows;
  for (const Json& row : *json.find("histogram")->if_array()) {
    rows.emplace_back(*(*row.if_array())[0].if_int(), *(*row.if_array())[1].if_int());
  }
  // Steps are 3 % wide: what is at a bound may stand in the next row.
  int64_t sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sum += rows[i].second;
    if (i > 0) {
      EXPECT_LT(rows[i - 1].first, rows[i].first);
    }
  }
  EXPECT_EQ(sum, 7);
  EXPECT_EQ(rows.back(), (std::pair<int64_t, int64_t>{8192, 1}));
  EXPECT_TRUE(Lateness(microseconds(1)).to_json().find("histogram")->if_array()->empty());
}

TEST(Lateness, QuantilesAreWithinThreePercent) {
  Lateness late(microseconds(900));
  for (int i = 1; i <= 1000; ++i) late.add(microseconds(i), 2);
  EXPECT_EQ(late.samples(), 1000);
  EXPECT_EQ(late.late_packets(), 200);
  EXPECT_EQ(late.maximum(), microseconds(1000));
  EXPECT_NEAR(static_cast<double>(late.quantile(0.5).count()), 500e3, 17e3);
  EXPECT_NEAR(static_cast<double>(late.quantile(0.99).count()), 990e3, 31e3);
  EXPECT_EQ(Lateness(microseconds(1)).quantile(0.5), Nanoseconds(0));
}

TEST(WireModel, QueuesDefaultToABandwidthDelayProduct) {
  TunWireOptions options;
  options.paths = {{"a", "b", milliseconds(30), {}, 0, {}},
                   {"b", "a", milliseconds(50), {}, 0, {}}};
  options.access = {{"a", {40'000'000, 0, {}}, {1'000'000, 0, {}}},
                    {"b", {40'000'000, 0, milliseconds(10)}, {40'000'000, 7700, milliseconds(10)}}};
  const WireModel model = wire_model({{"a", 1}, {"b", 1}}, options);
  EXPECT_EQ(model.machines[0].up.queue_bytes, 400'000);
  EXPECT_EQ(model.machines[0].down.queue_bytes, 32 * 1538);
  EXPECT_EQ(model.machines[1].up.queue_bytes, 50'000);
  EXPECT_EQ(model.machines[1].down.queue_bytes, 7700);
  EXPECT_EQ(theory_of(model, 0, 1), 40'000'000LL * 1448 / 1538 / 8);
  EXPECT_EQ(theory_of(model, 1, 0), 1'000'000LL * 1448 / 1538 / 8);
  EXPECT_NE(model.paths[1].seed, model.paths[2].seed);
}

TEST(WireModel, AQueueBelowASegmentAndAnEndlessBurstAreRefused) {
  const std::vector<WireEnd> ends = {{"a", 1}, {"b", 1}};
  TunWireOptions options;
  options.access = {{"a", {1'000'000, 1537, {}}, {}}};
  EXPECT_THROW(wire_model(ends, options), std::invalid_argument);
  options.access = {{"a", {1'000'000, 0, milliseconds(12)}, {}}};  // 1 500 bytes
  EXPECT_THROW(wire_model(ends, options), std::invalid_argument);
  options.access = {{"a", {1'000'000, 1538, {}}, {}}};
  options.paths = {{"a", "b", {}, {}, 0, {}, {0.1, 0, 1}}};
  EXPECT_THROW(wire_model(ends, options), std::invalid_argument);
  options.paths[0].burst.leave = 0.1;
  EXPECT_EQ(wire_model(ends, options).paths[1].burst.enter, 0.1);
}

TEST(ForwarderOptions, SurviveTheirJson) {
  ForwarderOptions options;
  options.namespaces = {11, 12};
  options.model.machines = {{{1000, 2000}, {}}, {{}, {5, 6}}};
  options.model.paths.resize(4);
  options.model.paths[1] = {milliseconds(3),  milliseconds(1), 0.25,
                            {0.1, 0.5, 0.75}, {7, 8},          ~uint64_t{0}};
  options.late_bound = milliseconds(5);
  const Json json = to_json(options);
  EXPECT_EQ(to_json(forwarder_options_from(json)), json);
  EXPECT_THROW(forwarder_options_from(Json::object()), FormatError);
}

}  // namespace
}  // namespace fairwire
