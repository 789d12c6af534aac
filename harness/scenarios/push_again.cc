// push-again: the reader has the tree by a first push, which is not timed; the writer sends it
// again.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void warm_up(Trial& trial) {
  trial.run_untimed("push", trial.writer());
}

void run(Trial& trial) {
  trial.run_op("push-again", trial.writer());
  trial.note_needed_bytes(0);
}

}  // namespace

const Scenario kPushAgain = {"push-again", true, warm_up, run, judge_readers};

}  // namespace fairwire
