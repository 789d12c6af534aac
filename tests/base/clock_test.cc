#include "base/clock.h"

#include <gtest/gtest.h>

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(SystemClock, RunsForwardAndSleepsAtLeastSoLong) {
  SystemClock clock;
  const Nanoseconds start = clock.now();
  clock.sleep(milliseconds(5));
  EXPECT_GE(clock.now() - start, milliseconds(5));
  EXPECT_GT(clock.wall(), seconds(1'600'000'000));
}

TEST(UtcLabel, IsReadableAndSorts) {
  EXPECT_EQ(utc_label(seconds(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_label(seconds(1'796'076'231)), "2026-11-30T22:03:51Z");
}

}  // namespace
}  // namespace fairwire
