#include "base/clock.h"

#include <time.h>

namespace fairwire {
namespace {

Nanoseconds read_clock(clockid_t id) {
  timespec time{};
  ::clock_gettime(id, &time);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

}  // namespace

Nanoseconds monotonic_now() {
  return read_clock(CLOCK_MONOTONIC);
}

Nanoseconds SystemClock::now() {
  return monotonic_now();
}

Nanoseconds SystemClock::wall() {
  return read_clock(CLOCK_REALTIME);
}

void SystemClock::sleep(Nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  const timespec time{seconds.count(), (duration - seconds).count()};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);  // a signal ends the sleep early
}

std::string utc_label(Nanoseconds wall) {
  const time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  char label[32];
  const size_t length = ::strftime(label, sizeof label, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(label, length);
}

}  // namespace fairwire
