#include "drivers/wires/wire_trace.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "drivers/wires/emulator.h"
#include "tests/drivers/super_packet.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kCsv[] =
    "t,rate,delay,loss\n"
    "0,10mbit,40,\n"
    "1.5,,80,0.25\n"
    "2,2.5mbit,,\n"
    "3,0bit,,0\n"
    "4,10mbit,10,\n";

TEST(WireTrace, EmptyCellsHold) {
  const WireTrace trace = parse_trace(kCsv, "a.csv", {});
  ASSERT_EQ(trace.rows.size(), 5u);
  EXPECT_EQ(trace.row_at(seconds(1)).delay, milliseconds(40));
  EXPECT_EQ(trace.row_at(milliseconds(1500)).delay, milliseconds(80));
  EXPECT_EQ(trace.row_at(milliseconds(2999)).loss, 0.25);
  EXPECT_EQ(trace.row_at(seconds(100)).delay, milliseconds(10)) << "the last row holds";
  EXPECT_EQ(trace.rate->mean_bits_per_second(), 10'000'000);
  EXPECT_TRUE(trace.rate->work_at(seconds(4)) == Work{20'000'000 + 2'500'000} * 1'000'000'000);
  const WireTrace round = parse_trace(kCsv, "a.csv", seconds(5));
  EXPECT_EQ(round.row_at(seconds(6)).delay, milliseconds(40));
  EXPECT_EQ(round.rate->mean_bits_per_second(), 32'500'000 / 5);
  EXPECT_TRUE(parse_trace("t,rate,delay,loss\n0,1mbit,,\n", "a.csv", {}).rows.empty());
}

TEST(WireTrace, DeliveriesOfMahimahi) {
  const WireTrace trace = parse_trace("0\n1\n1\n10\n", "lte.trace", {});
  EXPECT_TRUE(trace.rows.empty());
  EXPECT_EQ(trace.rate->mean_bits_per_second(), 4 * 1538 * 8 * 100);
}

TEST(WireTrace, WhatIsWrongIsNamedWithItsLine) {
  struct Case {
    const char* text;
    const char* file;
    const char* where;
    const char* words;
  };
  const Case cases[] = {
      {"t,rate\n", "a.csv", "line 1", "first line"},
      {"t,rate,delay,loss\n0,1mbit\n", "a.csv", "line 2", "four cells"},
      {"t,rate,delay,loss\n0,1furlong,,\n", "a.csv", "line 2", "is no rate"},
      {"t,rate,delay,loss\n0,nanmbit,,\n", "a.csv", "line 2", "is no rate"},
      {"t,rate,delay,loss\n0,1mbit,,1.5\n", "a.csv", "line 2", "is no loss"},
      {"t,rate,delay,loss\n0,1mbit,,\n0,2mbit,,\n", "a.csv", "line 3", "must rise"},
      {"t,rate,delay,loss\n1,1mbit,,\n", "a.csv", "line 2", "time 0"},
      {"t,rate,delay,loss\n0,1mbit,,\n1,0bit,,\n", "a.csv", "", "last rate is 0"},
      {"5\nfive\n", "x", "line 2", "whole milliseconds"},
      {"5\n4\n", "x", "line 2", "must rise"},
      {"", "x", "", "above 0"},
  };
  for (const Case& one : cases) {
    try {
      parse_trace(one.text, one.file, {});
      ADD_FAILURE() << one.text;
    } catch (const FormatError& error) {
      EXPECT_EQ(error.pointer, one.where) << one.text;
      EXPECT_NE(error.reason.find(one.words), std::string::npos) << error.reason;
    }
  }
  EXPECT_THROW(parse_trace("5\n", "x", seconds(1)), FormatError);
  EXPECT_THROW(parse_trace(kCsv, "a.csv", seconds(4)), FormatError);
}

TEST(WireTrace, AWalkIsTheSameForTheSameSeedAndStaysWithinItsBounds) {
  WalkOptions options;
  options.seed = 5;
  EXPECT_EQ(make_walk(options), make_walk(options));
  const WireTrace trace = parse_trace(make_walk(options), "w.csv", seconds(60));
  EXPECT_LE(trace.rate->highest_bits_per_second(), 50'000'000);
  const int64_t mean = trace.rate->mean_bits_per_second();
  EXPECT_GT(mean, 1'000'000);
  EXPECT_LT(mean, 50'000'000);
  options.seed = 6;
  EXPECT_NE(parse_trace(make_walk(options), "w.csv", seconds(60)).rate->mean_bits_per_second(),
            mean);
  options.least_bits_per_second = 60'000'000;
  EXPECT_THROW(make_walk(options), std::invalid_argument);
}

TEST(WireTrace, ARateChangesUnderThePacketThatIsBeingSent) {
  WireModel model;
  model.machines.resize(2);
  model.paths.resize(4);
  // 12 304 bits a segment: 10 ms at first, then 1 ms.
  const std::string csv = "t,rate,delay,loss\n0,1230.4kbit,,\n0.005,12304kbit,,\n";
  model.machines[0].up_trace.trace = std::make_shared<WireTrace>(parse_trace(csv, "a.csv", {}));
  model.machines[0].up = {12'304'000, 1 << 20};
  Emulator emulator(model);
  const auto segment = [] { return packet_of(make_super_packet(Flow::tcp4, 1448, 1448)); };
  emulator.start_traces(seconds(1));
  emulator.offer(0, 1, segment(), seconds(1));
  emulator.offer(0, 1, segment(), seconds(1));
  std::vector<Nanoseconds> due;
  while (auto one = emulator.take_due(seconds(9))) due.push_back(one->due - seconds(1));
  ASSERT_EQ(due.size(), 2u);
  EXPECT_EQ(due[0], std::chrono::microseconds(5500)) << "half of it at the old rate";
  EXPECT_EQ(due[1], std::chrono::microseconds(6500));
}

TEST(WireTrace, DelayAndLossFollowTheTime) {
  WireModel model;
  model.machines.resize(2);
  model.paths.resize(4);
  model.paths[1].trace.trace = std::make_shared<WireTrace>(
      parse_trace("t,rate,delay,loss\n0,,10,0\n1,,50,1\n2,,20,0\n", "a.csv", {}));
  Emulator emulator(model);
  const auto sent_at = [&](Nanoseconds time) -> std::optional<Nanoseconds> {
    emulator.offer(0, 1, packet_of(make_super_packet(Flow::tcp4, 1448, 1448)), time);
    const auto due = emulator.take_due(time + seconds(1));
    return due ? std::optional(due->due - time) : std::nullopt;
  };
  EXPECT_EQ(sent_at(seconds(1)), milliseconds(10)) << "before it begins, the first row";
  emulator.start_traces(seconds(100));
  EXPECT_EQ(sent_at(seconds(100)), milliseconds(10));
  EXPECT_EQ(sent_at(seconds(101)), std::nullopt);
  EXPECT_EQ(sent_at(seconds(103)), milliseconds(20));
}

}  // namespace
}  // namespace fairwire
