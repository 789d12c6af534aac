// The programs by which a wire and a host are calibrated, beside `fairwire pipe` (controls.h): a
// UDP echo and its probe for round trips and loss, and a probe of what a host itself can do. Each
// ends by itself: number and time are capped.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace fairwire {

/// Sends every datagram of at most 1472 bytes back to where it came from, until a signal ends it.
[[noreturn]] void serve_echo(int port);

struct EchoRequest {
  std::string host;  ///< numeric
  int port = 0;
  int number = 100;  ///< 1 … 10 000 datagrams of 64 bytes
  Nanoseconds interval = std::chrono::milliseconds(10);
};
struct EchoReading {
  int sent = 0;
  int lost = 0;  ///< not back within 2 s after the last was sent
  Nanoseconds minimum{};
  Nanoseconds median{};
  Nanoseconds p99{};
};
/// Paced by the clock, not by the answers, and begun when the other end has answered once (or not
/// at all within 5 s). Throws SystemError.
EchoReading probe_echo(const EchoRequest& request);

struct HostReading {
  int64_t sha256_bytes_per_second = 0;  ///< one core
  int64_t aead_bytes_per_second = 0;    ///< AES-256-GCM sealing of 64 KiB, one core
  int64_t write_bytes_per_second = 0;   ///< 64 MiB written in sequence, with its fsync
  Nanoseconds fsync{};                  ///< median of 20: 4 KiB appended, then fsync
};
/// About two seconds; writes into `folder` and leaves nothing there. Throws SystemError.
HostReading probe_host(const std::string& folder);

/// AES-256-GCM over buffers of 64 KiB for `at_least`: bytes per second (host_probe.cc).
int64_t aead_speed(Nanoseconds at_least);

Json to_json(const EchoReading& reading);  ///< {sent, lost, minimum_us, median_us, p99_us}
Json to_json(const HostReading& reading);
/// Throw FormatError.
EchoReading echo_reading_from(const JsonView& view);
HostReading host_reading_from(const JsonView& view);

}  // namespace fairwire
