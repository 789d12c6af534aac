// pull-again: the readers have the tree already and ask again. The first pull is the tool's own, so
// that whatever it keeps for the second time is there; it is not timed.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void warm_up(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.run_untimed("pull", *reader);
}

void run(Trial& trial) {
  for (Seat* reader : trial.readers()) {
    trial.run_op("pull-again", *reader);
    trial.note_needed_bytes(0);
  }
}

}  // namespace

const Scenario kPullAgain = {"pull-again", true, warm_up, run, judge_readers};

}  // namespace fairwire
