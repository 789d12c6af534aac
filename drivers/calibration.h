// Calibration: does a wire do what its testbed declares? The harness runs the probes through the
// interface below, before and after; what was read is held against the figures here.
// Pure but for the interface; a figure that is out is named, with both values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "drivers/calibration_probes.h"

namespace fairwire {

/// Carries out the probes between two machines; each call blocks. Failures are exceptions.
class CalibrationProbes {
 public:
  virtual ~CalibrationProbes() = default;
  virtual EchoReading echo(const std::string& from, const std::string& to, int number) = 0;
  /// Goodput in bytes/s of the data that `from` sends to `to`, over the second half of `duration`.
  virtual int64_t goodput(const std::string& from, const std::string& to, int streams,
                          Nanoseconds duration) = 0;
  virtual HostReading host(const std::string& machine) = 0;
};

struct CalibrationPlan {
  std::string one;
  std::string other;
  int echoes = 100;
  Nanoseconds duration = std::chrono::seconds(3);  ///< of each of the four streams of data
  std::vector<std::string> hosts;                  ///< machines whose hosts are read, too
};

/// Long enough for a connection to reach the rate of a wire with this round trip: 24 of them (slow
/// start takes some 12 for 1 GB/s), from 1 s to 10 s;
/// 0.4 s where no delay is declared.
Nanoseconds probe_duration(Nanoseconds round_trip);

struct CalibrationReading {
  std::string one;
  std::string other;
  EchoReading round_trip;
  int64_t forth_1 = 0;  ///< bytes/s, one stream, from `one` to `other`; 16 below
  int64_t back_1 = 0;
  int64_t forth_16 = 0;
  int64_t back_16 = 0;
  std::vector<std::pair<std::string, HostReading>> hosts;
};
CalibrationReading calibrate(CalibrationProbes& probes, const CalibrationPlan& plan);
/// docs/results.md, "calibration". `theory` in bytes/s; 0: the wire has no limit.
Json to_json(const CalibrationReading& reading, int64_t theory);

struct DeclaredWire {
  Nanoseconds round_trip{};  ///< both delays
  Nanoseconds jitter{};      ///< sum of both ways
  double loss = 0;           ///< share of round trips: 1 - (1 - there) * (1 - back)
  int64_t forth = 0;         ///< bytes/s that theory allows; 0: not limited
  int64_t back = 0;
};
struct CalibrationBounds {
  double round_trip = 0.02;  ///< share of the declared round trip, besides `wake_up`
  double goodput = 0.02;
  Nanoseconds wake_up = std::chrono::milliseconds(1);  ///< what the forwarder may add
};

/// Empty: the wire is as declared. Else one line a figure: "round trip (median) 91.2 ms, declared
/// 80 ms, bound 82.6 ms". Of one and sixteen streams the reading nearest to theory counts, since
/// either may be recovering from its start; with declared loss both may stay below, none above.
std::vector<std::string> figures_out(const CalibrationReading& reading,
                                     const DeclaredWire& declared, const CalibrationBounds& bounds);

}  // namespace fairwire
