// A recorded or made-up life of a link (docs/wire.md, "Traces"): rates, delays and losses by time,
// or the delivery opportunities of mahimahi. Read from a file, whole, bounded and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "drivers/wires/service_curve.h"

namespace fairwire {

struct WireTrace {
  struct Row {
    Nanoseconds at{};
    Nanoseconds delay{};
    double loss = 0;
  };

  std::shared_ptr<const ServiceCurve> rate;  ///< nullptr: the trace says nothing of it
  std::vector<Row> rows;                     ///< of delay and loss; empty likewise
  Nanoseconds repeat{};                      ///< 0: the last row holds

  /// Delay and loss at that time after the start. `rows` must not be empty.
  const Row& row_at(Nanoseconds time) const;
};

/// CSV `t,rate,delay,loss` when the name ends in .csv, else a mahimahi trace. `repeat`: of a CSV,
/// the length of a round; 0: hold. Throws FormatError{file, "line N", reason}.
WireTrace parse_trace(std::string_view text, const std::string& file, Nanoseconds repeat);
WireTrace load_trace(const std::string& file, Nanoseconds repeat);

/// A made-up CSV, the same for the same seed: the rate walks by steps, each a factor drawn evenly
/// on a logarithmic scale and kept between the bounds (bits/s). Throws std::invalid_argument.
struct WalkOptions {
  uint64_t seed = 1;
  Nanoseconds length = std::chrono::seconds(60);
  Nanoseconds step = std::chrono::milliseconds(100);
  int64_t least_bits_per_second = 1'000'000;
  int64_t most_bits_per_second = 50'000'000;
};
std::string make_walk(const WalkOptions& options);

}  // namespace fairwire
