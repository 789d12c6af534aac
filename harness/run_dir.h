// A run folder: runs/<plan>/<UTC time>/ with the plan, the testbed, the context, results.jsonl,
// the report and a folder for each trial that left something to look at.
#pragma once

#include <string>

#include "base/clock.h"

namespace fairwire {

class RunDir {
 public:
  /// Makes ROOT/<plan>/<UTC time>/ (with -2, -3 … when it is there already).
  RunDir(const std::string& root, const std::string& plan, Nanoseconds wall);
  /// One that is there.
  explicit RunDir(const std::string& path);

  const std::string& path() const { return path_; }
  const std::string& run() const { return run_; }  ///< "<plan>/<UTC time>"
  std::string results() const { return path_ + "/results.jsonl"; }
  std::string report_folder() const { return path_ + "/report"; }
  std::string trial_folder(int64_t trial) const;  ///< made when something is put into it

 private:
  std::string path_;
  std::string run_;
};

}  // namespace fairwire
