// How far a run is: one redrawn bar with the time left on a terminal, plain lines elsewhere.
// A bar is never evidence: nothing in a record comes from here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "reports/record.h"

namespace fairwire {

class Progress {
 public:
  /// `write` takes text for the user; `terminal` chooses the bar.
  Progress(int64_t trials, Nanoseconds expected, bool terminal, Clock& clock,
           std::function<void(const std::string&)> write);

  void begin(const std::string& case_name, const std::string& variant, int64_t round);
  void end(const TrialRecord& record);
  void finish();

 private:
  Nanoseconds left() const;

  int64_t trials_;
  Nanoseconds expected_;
  bool terminal_;
  Clock& clock_;
  std::function<void(const std::string&)> write_;
  Nanoseconds started_;
  int64_t done_ = 0;
};

/// "3.2 s", "4 min 10 s", "2 h 05 min".
std::string rough_duration(Nanoseconds duration);

}  // namespace fairwire
