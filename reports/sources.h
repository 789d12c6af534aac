// Where the bytes of a cell came from, a line for each reader and source: by the tool's own
// counters where it keeps any, else by the wire. Invariant: the two are never mixed in one line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/record.h"

namespace fairwire {

struct SourceShare {
  std::string reader;
  std::optional<double> seconds;  ///< of that reader's ops; median
  std::string source;
  std::string path;                       ///< direct, relayed, bucket, local; empty: by the wire
  std::optional<double> blocks;           ///< nullopt: by the wire
  double bytes = 0;                       ///< median
  std::optional<double> duplicate_bytes;  ///< that brought nothing new; likewise
};

/// Medians over the trials, sorted by reader, source and path.
std::vector<SourceShare> source_shares(const std::vector<const TrialRecord*>& trials);

/// What the writers' machines sent to others, by the wire; median. nullopt where it tells no pairs.
std::optional<double> writer_sent_bytes(const std::vector<const TrialRecord*>& trials);

}  // namespace fairwire
