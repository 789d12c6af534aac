// connect: from the start of the program until it is connected, ten times by each reader. A tool's
// file says when that is (docs/tool.md, "until"), else the program's end is. The verdict is the
// kernel's: payload came in on a connection that was not there before.
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

constexpr int kTimes = 10;

void run(Trial& trial) {
  for (Seat* reader : trial.readers()) {
    for (int i = 0; i < kTimes; ++i) trial.run_connect(*reader);
  }
}

void judge(Trial& trial) {
  TrialRecord& record = trial.record();
  record.verdict = record.ops.empty() ? Verdict::unknown : Verdict::identical;
  for (const OpRecord& op : record.ops) record.verdict = worst(record.verdict, op.verdict);
}

}  // namespace

const Scenario kConnect = {"connect", true, nullptr, run, judge};

}  // namespace fairwire
