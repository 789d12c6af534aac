// update: the readers have the tree, then the source changes by the case's mutation script, and
// they pull the change. The source is this trial's own copy. The least that had to move stands
// beside it.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void warm_up(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.run_untimed("pull", *reader);
  trial.mutate_source();
}

void run(Trial& trial) {
  for (Seat* reader : trial.readers()) {
    trial.run_op("update", *reader);
    trial.note_needed_bytes(trial.new_bytes());
  }
}

}  // namespace

const Scenario kUpdate = {"update", true, warm_up, run, judge_readers};

}  // namespace fairwire
