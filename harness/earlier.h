// What earlier sessions of a run left, and whether it may go on: the same plan, testbed, tools and
// fairwire, or times of unlike things would stand in one table.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "harness/plan.h"
#include "harness/schedule.h"
#include "harness/testbed_spec.h"
#include "reports/results_file.h"

namespace fairwire {

struct Earlier {
  int64_t sessions = 0;
  std::set<int64_t> trials;  ///< that have a record
  bool complete = false;     ///< the last session said so
  std::string fairwire_version;
  Json context;  ///< of the last header
};

/// Throws FormatError naming the file and what differs: a plan or testbed that is not the header's,
/// and a trial that is not where the schedule has it.
Earlier read_earlier(const ResultsFile& results, const Plan& plan, const TestbedSpec& testbed,
                     const std::vector<PlannedTrial>& schedule);

/// Throws FormatError{folder} when fairwire or a tool (its file, version or binaries) is not what
/// the last session used. Nothing to compare where there was none.
void check_same(const Earlier& earlier, const std::string& fairwire_version, const Json& context,
                const std::string& folder);

}  // namespace fairwire
