// The shape of a trial: which ops are run and what is judged afterwards. One file a scenario;
// everything else of a trial is the same for all of them.
#pragma once

#include <string>
#include <string_view>

namespace fairwire {

class Trial;

struct Scenario {
  std::string_view name;
  bool needs_dataset;       ///< a source tree on the writer's machine
  void (*warm_up)(Trial&);  ///< untimed ops that bring the starting state; nullptr: none
  void (*run)(Trial&);      ///< the timed ops
  void (*judge)(Trial&);    ///< adds verdicts to the record
};

extern const Scenario kPull;
extern const Scenario kPullAgain;
extern const Scenario kUpdate;
extern const Scenario kPush;
extern const Scenario kPushAgain;
extern const Scenario kSwarm;
extern const Scenario kResume;
extern const Scenario kList;
extern const Scenario kConnect;
extern const Scenario kIdle;
extern const Scenario kControl;

/// Every reader's landed tree against the source: what most scenarios judge.
void judge_readers(Trial& trial);

/// nullptr for a scenario of docs/plan.md that this version does not run.
const Scenario* find_scenario(std::string_view name);

}  // namespace fairwire
