#include "harness/scenarios/scenario.h"

namespace fairwire {

const Scenario* find_scenario(std::string_view name) {
  for (const Scenario* scenario :
       {&kPull, &kPullAgain, &kUpdate, &kPush, &kPushAgain, &kSwarm, &kResume,
        &kList, &kConnect, &kIdle, &kControl}) {
    if (scenario->name == name) return scenario;
  }
  return nullptr;
}

}  // namespace fairwire
