// swarm: all readers start at once and fetch the writer's tree; each has its own time and verdict.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void run(Trial& trial) {
  trial.run_together("swarm", trial.readers());
}

}  // namespace

const Scenario kSwarm = {"swarm", true, nullptr, run, judge_readers};

}  // namespace fairwire
