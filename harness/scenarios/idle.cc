// idle: the readers have pulled the tree, untimed; then nobody asks for anything, and what goes on
// by itself goes on. The time is given; CPU, wire bytes and wakeups are what is measured, and the
// trees must still be the source's afterwards.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void warm_up(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.run_untimed("pull", *reader);
}

void run(Trial& trial) {
  trial.run_idle();
}

}  // namespace

const Scenario kIdle = {"idle", true, warm_up, run, judge_readers};

}  // namespace fairwire
