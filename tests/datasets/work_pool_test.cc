#include "datasets/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace fairwire {
namespace {

TEST(WorkPool, DoesEveryJobBeforeWaitReturns) {
  std::atomic<int> done = 0;
  WorkPool pool(3, 4, 16);
  for (int round = 1; round <= 5; ++round) {
    for (int i = 0; i < 100; ++i) {
      pool.submit([&](std::span<std::byte> scratch) {
        EXPECT_EQ(scratch.size(), 16u);
        ++done;
      });
    }
    pool.wait();
    EXPECT_EQ(done, 100 * round);
  }
}

TEST(WorkPool, TheFirstExceptionComesOut) {
  WorkPool pool(2, 4, 0);
  pool.submit([](std::span<std::byte>) { throw std::runtime_error("job"); });
  EXPECT_THROW(pool.wait(), std::runtime_error);
  EXPECT_THROW(pool.submit([](std::span<std::byte>) {}), std::runtime_error);
}

TEST(WorkPool, AFullQueueWakesForAnError) {
  WorkPool pool(1, 1, 0);
  EXPECT_THROW(
      {
        for (int i = 0; i < 1'000'000; ++i) {
          pool.submit([](std::span<std::byte>) { throw std::runtime_error("job"); });
        }
      },
      std::runtime_error);
}

TEST(WorkPool, DropsWhatHasNotBegunWhenItGoes) {
  std::atomic<int> done = 0;
  {
    WorkPool pool(1, 1000, 0);
    for (int i = 0; i < 1000; ++i) pool.submit([&](std::span<std::byte>) { ++done; });
  }
  EXPECT_LE(done, 1000);
}

}  // namespace
}  // namespace fairwire
