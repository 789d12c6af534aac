// The programs behind the controls of a round (drivers/tools/pipe-*.json, kernel.json): the least
// any tool has to do, so that a number can be held against what wire and host gave at that time.
// Each ends by itself: bytes and time are capped.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace fairwire {

/// What a control found; written as
/// {"bytes","elapsed_ns","steady_bytes_per_second","agreed"}.
struct ControlReading {
  int64_t bytes = 0;
  Nanoseconds elapsed{};
  bool agreed = false;  ///< both ends counted the same
  /// Of pipes: the median over twenty equal parts of the time behind the ramp; 0: it was too short.
  int64_t steady_bytes_per_second = 0;
};
void write_reading(const ControlReading& reading, const std::string& path);

/// Serves raw TCP: a client sends how many bytes it wants (8 bytes, little endian) and gets them,
/// then 8 bytes with the number that was sent. A client that shuts down its side gets what is on
/// its way and the true number. Runs until a signal ends it.
[[noreturn]] void serve_pipe(int port);

struct PipeRequest {
  std::string host;  ///< numeric
  int port = 0;
  int streams = 1;    ///< 1 … 64
  int64_t bytes = 0;  ///< over all streams
  Nanoseconds at_most = std::chrono::seconds(2);
  Nanoseconds ramp{};  ///< left out of the steady rate
  /// Take what is on its way when the time is over, so that both ends can agree on the number.
  bool drains = true;
};
/// From just before the first connect to the last byte.
ControlReading fetch_pipe(const PipeRequest& request);

/// SHA-256 over 128 MiB in memory, then 32 MiB written and fsynced in `folder`.
ControlReading run_kernel(const std::string& folder);

}  // namespace fairwire
