// What `fairwire run` does, for other verbs that need a run: sweep, build the site, carry out.
#pragma once

#include "harness/runner.h"
#include "harness/verbs.h"

namespace fairwire {

RunResult carry_out(const RunArguments& arguments);

/// The results.jsonl of a run folder; any other path is taken as the file itself.
std::string results_file_of(const std::string& run);

}  // namespace fairwire
