// The records of one or more runs, gathered by case and variant: what a page is computed from.
// Invariant: nothing is left out. What has no place in the plan comes after it, what the plan
// promises and nobody recorded stays as an empty group, and every oddity becomes a warning.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/results_file.h"

namespace fairwire {

struct PooledTrial {
  const TrialRecord* record;
  size_t run;  ///< index of its results file
};

struct PooledCase {
  PlannedCase plan;  ///< rounds summed over the runs; variants in the plan's order, then others
  std::map<std::string, std::vector<PooledTrial>> trials;  ///< by variant, in order of rounds
};

/// What decides whether times of two sessions may be held against each other at all.
struct SessionFacts {
  std::string host;            ///< case C20: kernel, CPU, governor, clock source of every machine
  std::string testbed_digest;  ///< of the file that describes machines and wires
};

struct PooledRun {
  std::string name;       ///< of its header; its file when there is none
  bool complete = false;  ///< has an end record that says so for its last session
  std::map<std::string, SessionFacts> sessions = {};
};

/// Refers to the records of the files it was made from, which must outlive it.
struct Pool {
  std::vector<PooledRun> runs;
  std::vector<const HeaderRecord*> headers;
  std::vector<PooledCase> cases;
  std::vector<PooledTrial> controls;
  std::vector<const CalibrationRecord*> calibrations;
  std::vector<const NoteRecord*> notes;
  std::vector<const PublishedRecord*> published;
  std::vector<std::string> warnings;
};

Pool pool_runs(const std::vector<ResultsFile>& runs);

}  // namespace fairwire
