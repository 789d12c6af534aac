// control: fixed work that no tool has a part in, run in every round to show what the wire and
// the hosts gave at that time. The program counts its own bytes and time (set-up left out) and
// says whether both ends agree on them; that agreement is its verdict.
#include "base/error.h"
#include "base/json.h"
#include "harness/scenarios/scenario.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

void run(Trial& trial) {
  trial.run_op("control", *trial.readers().front());
}

void judge(Trial& trial) {
  Seat& reader = *trial.readers().front();
  OpRecord& op = trial.record().ops.front();
  const std::string path = reader.bindings.at(trial.tool().name).at("work") + "/control.json";
  const auto text = reader.machine->get(path, 1 << 16);
  if (!text) return;  // the program failed: its exit is on record, the verdict stays unknown
  const Json json = Json::parse(*text, path);
  const JsonView view(json, path);
  view.allow_only({"bytes", "elapsed_ns", "steady_bytes_per_second", "agreed"});
  op.bytes = view.at("bytes").as_int(0);
  op.wall_ns = view.at("elapsed_ns").as_int(1);
  op.verdict = view.at("agreed").as_bool() ? Verdict::identical : Verdict::different;
  trial.record().verdict = op.verdict;
}

}  // namespace

const Scenario kControl = {"control", false, nullptr, run, judge};

}  // namespace fairwire
