// The data sets of a run, where they are used: each is made once a session by the writer's own
// agent, its manifest is brought home, and before each use the tree is checked to be unchanged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "drivers/machine.h"

namespace fairwire {

/// A source tree on a machine, and what is known of it.
struct SourceTree {
  std::string name;  ///< of the recipe
  std::string title;
  std::string path;         ///< on the machine; its last part is "tree"
  TreeSummary summary;      ///< of the full manifest
  std::string fingerprint;  ///< digest of the manifest without content: sizes, modes, times
  std::string manifest;     ///< path of the full manifest on this host
};

class Shelf {
 public:
  /// Manifests are kept in `folder` on this host; `asked_by` is the plan file, beside which
  /// recipes are looked for first.
  Shelf(std::string folder, std::string asked_by, uint64_t seed);

  /// The data set on that machine; made when it is not there yet, and made again when something
  /// has changed it. Throws FormatError for a bad recipe.
  const SourceTree& provide(Machine& machine, const std::string& dataset);

  /// Makes the data set once more, elsewhere on the machine.
  void make_copy(Machine& machine, const std::string& dataset, const std::string& path) const;
  /// Lists and hashes the tree as it is now; its manifest comes home to `local`.
  void describe(Machine& machine, SourceTree& source, const std::string& local) const;

  /// True when the tree still has the fingerprint it was made with.
  static bool unchanged(Machine& machine, const SourceTree& source);

 private:
  SourceTree make(Machine& machine, const std::string& dataset);

  std::string folder_;
  std::string asked_by_;
  uint64_t seed_;
  std::map<std::pair<std::string, std::string>, SourceTree> trees_;
};

}  // namespace fairwire
