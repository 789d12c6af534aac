#include "drivers/agent/stall_watch.h"

#include <algorithm>

namespace fairwire {
namespace {

constexpr int64_t kQuietWireBytes = 1024;
constexpr int64_t kQuietWrites = 16 << 10;  // a spinning progress bar writes less
constexpr int64_t kQuietCpuShare = 1000;  // 1 ms a second

}  // namespace

StallWatch::StallWatch(Nanoseconds window, Nanoseconds now, const Activity& start)
    : window_(window), mark_(now), at_mark_(start) {}

bool StallWatch::stalled(Nanoseconds now, const Activity& seen,
                         const std::function<bool()>& wire_counts) {
  const int64_t window_us = window_.count() / 1000;
  const int64_t least_us = std::max<int64_t>(1, window_us / kQuietCpuShare);
  const bool stored = seen.disk_bytes > at_mark_.disk_bytes ||
                      seen.written_bytes - at_mark_.written_bytes >= kQuietWrites;
  const bool worked = seen.cpu_us - at_mark_.cpu_us >= least_us;
  const bool carried = seen.wire_bytes - at_mark_.wire_bytes >= kQuietWireBytes;
  if (stored || worked || (carried && wire_counts())) {
    mark_ = now;
    at_mark_ = seen;
    return false;
  }
  return window_ > Nanoseconds::zero() && now - mark_ >= window_;
}

Nanoseconds StallWatch::period() const {
  return std::clamp<Nanoseconds>(window_ / 10, std::chrono::milliseconds(20),
                                 std::chrono::seconds(1));
}

}  // namespace fairwire
