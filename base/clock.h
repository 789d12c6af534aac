// Time. Every interval comes from one machine's CLOCK_MONOTONIC; the wall clock only labels.
// Clock is an interface so that the runner can be tested on a clock that is turned by hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fairwire {

using Nanoseconds = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanoseconds now() = 0;  ///< CLOCK_MONOTONIC
  virtual void sleep(Nanoseconds duration) = 0;
  virtual Nanoseconds wall() = 0;  ///< since 1970-01-01T00:00:00Z, for labels only
};

class SystemClock final : public Clock {
 public:
  Nanoseconds now() override;
  void sleep(Nanoseconds duration) override;
  Nanoseconds wall() override;
};

/// CLOCK_MONOTONIC, for code whose time is real by nature (the agent, the emulator).
Nanoseconds monotonic_now();

/// "2026-11-30T22:03:51Z" of a wall time, UTC.
std::string utc_label(Nanoseconds wall);

}  // namespace fairwire
