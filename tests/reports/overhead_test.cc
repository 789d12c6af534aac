#include "reports/overhead.h"

#include <gtest/gtest.h>

#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

using namespace testing_records;

TEST(Overhead, IsWhatIsLeftOfTheTrial) {
  TrialRecord trial = pull("c", "v", 1, 2.0);
  trial.phases = {{"arrange", seconds(0), seconds(0.1)}, {"prepare", seconds(0.1), seconds(0.5)},
                  {"serve", seconds(0.5), seconds(1.0)}, {"warm_up", seconds(1.0), seconds(4.0)},
                  {"run", seconds(4.0), seconds(6.05)},  {"stop", seconds(6.05), seconds(6.45)},
                  {"judge", seconds(6.45), seconds(9)},  {"clear", seconds(9), seconds(9.02)}};
  trial.machines[0].prepare_wall_ns = seconds(0.3);
  EXPECT_NEAR(*overhead_seconds(trial), 0.1 + 0.1 + 0.05 + 0.02, 1e-9);
  trial.scenario = "swarm";
  trial.ops.push_back(trial.ops[0]);
  EXPECT_NEAR(*overhead_seconds(trial), 0.27, 1e-9) << "readers go at once";
}

TEST(Overhead, NothingIsSaidWithoutPhasesOrOfAControl) {
  TrialRecord trial = pull("c", "v", 1, 2.0);
  trial.control = true;
  EXPECT_FALSE(overhead_seconds(trial).has_value());
  trial.control = false;
  trial.phases.clear();
  EXPECT_FALSE(overhead_seconds(trial).has_value());
}

}  // namespace
}  // namespace fairwire
