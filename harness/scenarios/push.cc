// push: the writer sends its tree to the reader, whose target folder is empty.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void run(Trial& trial) {
  trial.run_op("push", trial.writer());
}

}  // namespace

const Scenario kPush = {"push", true, nullptr, run, judge_readers};

}  // namespace fairwire
