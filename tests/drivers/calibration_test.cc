#include "drivers/calibration.h"

#include <gtest/gtest.h>

#include "base/temp_dir.h"

namespace fairwire {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

CalibrationReading good_reading() {
  CalibrationReading reading;
  reading.round_trip = {100, 0, milliseconds(80), microseconds(80'400), milliseconds(82)};
  reading.forth_1 = reading.back_1 = 4'700'000;
  reading.forth_16 = reading.back_16 = 4'650'000;
  return reading;
}

const DeclaredWire kDeclared{milliseconds(80), {}, 0, 4'707'412, 4'707'412};

std::string first_out(const CalibrationReading& reading, const DeclaredWire& declared = kDeclared) {
  const auto out = figures_out(reading, declared, {});
  return out.empty() ? "" : out[0];
}

TEST(Calibration, AWireAsDeclaredHasNothingOut) {
  EXPECT_EQ(first_out(good_reading()), "");
}

TEST(Calibration, TheFigureThatIsOutIsNamed) {
  CalibrationReading reading = good_reading();
  reading.round_trip.median = milliseconds(91);
  EXPECT_TRUE(first_out(reading).starts_with("round trip (median) 91.00 ms")) << first_out(reading);
  reading = good_reading();
  reading.round_trip.minimum = milliseconds(40);
  EXPECT_TRUE(first_out(reading).starts_with("round trip (minimum) 40.00 ms"));
  reading = good_reading();
  reading.round_trip.lost = 1;
  EXPECT_TRUE(first_out(reading).starts_with("loss 1 of 100"));
  reading.round_trip.lost = 100;
  EXPECT_TRUE(first_out(reading).starts_with("round trip: none of 100"));
  reading = good_reading();
  reading.back_1 = reading.back_16 = 4'000'000;
  EXPECT_TRUE(first_out(reading).starts_with("goodput back 4.00 MB/s")) << first_out(reading);
  reading = good_reading();
  reading.forth_1 = reading.forth_16 = 5'000'000;
  EXPECT_TRUE(first_out(reading).starts_with("goodput forth 5.00 MB/s"));
  reading = good_reading();
  reading.forth_16 = 5'000'000;  // a burst behind a hole: one stream tells better
  reading.back_1 = 36'000;
  EXPECT_EQ(first_out(reading), "");
}

// Field case C02: a delay on one side only, or whole on both; rates that differ up and down.
TEST(Calibration, HalfOrTwiceTheRoundTripAndSwappedRatesAreOut) {
  for (const auto round_trip : {milliseconds(40), milliseconds(160)}) {
    CalibrationReading reading = good_reading();
    reading.round_trip.minimum = reading.round_trip.median = round_trip;
    EXPECT_NE(first_out(reading), "") << round_trip.count();
  }
  DeclaredWire uneven = kDeclared;
  uneven.back = 941'482;
  CalibrationReading reading = good_reading();
  reading.back_1 = reading.back_16 = 941'482;
  EXPECT_EQ(first_out(reading, uneven), "");
  std::swap(reading.forth_1, reading.back_1);
  std::swap(reading.forth_16, reading.back_16);
  EXPECT_TRUE(first_out(reading, uneven).starts_with("goodput forth"))
      << first_out(reading, uneven);
}

TEST(Calibration, DeclaredLossMayLowerGoodputButNotRaiseIt) {
  DeclaredWire declared = kDeclared;
  declared.loss = 0.01;
  CalibrationReading reading = good_reading();
  reading.round_trip.lost = 2;
  reading.forth_1 = reading.forth_16 = 1'000'000;
  EXPECT_EQ(first_out(reading, declared), "");
  reading.round_trip.lost = 9;
  EXPECT_TRUE(first_out(reading, declared).starts_with("loss 9 of 100"));
}

class Probes final : public CalibrationProbes {
 public:
  EchoReading echo(const std::string& from, const std::string& to, int) override {
    log += "echo " + from + to + ";";
    return {};
  }
  int64_t goodput(const std::string& from, const std::string& to, int streams,
                  Nanoseconds) override {
    log += from + to + std::to_string(streams) + ";";
    return streams;
  }
  HostReading host(const std::string& machine) override {
    log += "host " + machine + ";";
    return {};
  }
  std::string log;
};

TEST(Calibration, TheIdleRoundTripComesFirst) {
  Probes probes;
  const CalibrationReading reading =
      calibrate(probes, {.one = "a", .other = "b", .hosts = {"a", "b"}});
  EXPECT_EQ(probes.log, "echo ab;ab1;ba1;ab16;ba16;host a;host b;");
  EXPECT_EQ(reading.back_16, 16);
  EXPECT_EQ(reading.hosts.size(), 2u);
}

TEST(HostProbe, ReadsAndLeavesNothing) {
  const TempDir folder("host-probe");
  const HostReading reading = probe_host(folder.path());
  EXPECT_GT(reading.sha256_bytes_per_second, 1'000'000);
  EXPECT_GT(reading.aead_bytes_per_second, 1'000'000);
  EXPECT_GT(reading.write_bytes_per_second, 1'000'000);
  EXPECT_GT(reading.fsync.count(), 0);
  EXPECT_EQ(to_json(host_reading_from(JsonView(to_json(reading), "host"))), to_json(reading));
}

}  // namespace
}  // namespace fairwire
