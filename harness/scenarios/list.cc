// list: each reader asks what is there, and lands nothing. Names and sizes of regular files are
// judged; the time stands beside the number of entries.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void run(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.run_op("list", *reader);
}

void judge(Trial& trial) {
  for (Seat* reader : trial.readers()) trial.judge_listing(*reader);
}

}  // namespace

const Scenario kList = {"list", true, nullptr, run, judge};

}  // namespace fairwire
