// Verbs that fairwire calls itself, on machines: the agent, the forwarder of an emulated wire, the
// controls of a round and the probes of a calibration. They stay out of --help.
#pragma once

#include <functional>

#include "harness/exit_code.h"

namespace CLI {
class App;
}

namespace fairwire {

/// What the parsed command line asks for; set by the callback of its verb.
using Action = std::function<ExitCode()>;

void add_internal_verbs(CLI::App& app, Action& action);

}  // namespace fairwire
