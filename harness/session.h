// One sitting of a run: its header, its calibration, its trials, its end, each recorded before the
// next thing begins. A run that was killed goes on in another session of the same folder.
// Invariants: a trial that has a record is never run again; one bad trial neither ends the campaign
// nor disappears.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "harness/calibrate.h"
#include "harness/context.h"
#include "harness/earlier.h"
#include "harness/run_dir.h"
#include "harness/runner.h"
#include "harness/schedule.h"
#include "harness/shelf.h"
#include "harness/testbed.h"
#include "harness/trial.h"
#include "reports/results_file.h"

namespace fairwire {

class Session {
 public:
  /// Throws FormatError when another program writes to the run.
  Session(const Plan& plan, const TestbedSpec& testbed, const Builders& builders, Clock& clock,
          const RunSettings& settings, const RunDir& folder);

  /// Whether earlier sessions recorded everything, and said so.
  bool is_complete() const { return earlier_.complete && todo_.empty(); }
  void announce() const;
  /// Asks the machines and records the header. Throws FormatError, before anything is recorded,
  /// when earlier sessions were of other tools or another fairwire.
  void open();
  /// Calibrated, carried out, calibrated again: the status of the session.
  std::string carry_through();
  void close(const std::string& status);

 private:
  std::string session() const;
  HeaderRecord header() const;
  void note(const std::string& level, const std::string& text);
  bool calibrate(const std::string& when);
  void note_uncrossed(const std::vector<WirePair>& pairs, const std::string& when);
  bool calibrate_one(const WirePair& pair, const std::vector<std::string>& hosts,
                     const std::string& when);
  bool carry_out();
  TrialRecord one_trial(const PlannedTrial& planned);
  TrialRecord append_trial(const PlannedTrial& planned, TrialRecord record);
  std::string plan_tool(const PlannedTrial& planned) const;

  const Plan& plan_;
  Clock& clock_;
  const RunSettings& settings_;
  ToolBox tools_;
  std::vector<PlannedTrial> schedule_;
  Testbed testbed_;
  const RunDir& folder_;
  Shelf shelf_;
  ResultsWriter results_;
  Earlier earlier_;
  std::vector<PlannedTrial> todo_;
  Nanoseconds expected_;
  Context context_;
  int64_t recorded_ = 0;
};

}  // namespace fairwire
