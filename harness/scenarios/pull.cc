// pull: every reader's target folder is empty; each reader fetches the writer's tree, one after
// the other, and each landed tree is judged against the source.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {

void judge_readers(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.judge_tree(*reader);
}

namespace {

void run(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.run_op("pull", *reader);
}

}  // namespace

const Scenario kPull = {"pull", true, nullptr, run, judge_readers};

}  // namespace fairwire
