// resume: a pull is ended by the case's events (without any: killed when half of the data has
// crossed the wire), then run again. The op is the second run: the time for the rest. The wire's
// bytes are those of both, so what went twice can be seen.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void run(Trial& trial) {
  for (Seat* reader : trial.readers()) {
    trial.run_until_ended("resume", *reader);
    trial.run_op("resume", *reader);
  }
}

}  // namespace

const Scenario kResume = {"resume", true, nullptr, run, judge_readers};

}  // namespace fairwire
