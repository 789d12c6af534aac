// Whether a program has come to the point that ends its time (machine.h, Until): by the payload of
// its connections, or by its own words. Invariant: what was said or answered before it was started
// does not count, and every byte that it says is read once.
#pragma once

#include <string>
#include <vector>

#include "drivers/machine.h"
#include "drivers/meter.h"
#include "drivers/pattern.h"

namespace fairwire {

inline constexpr std::chrono::milliseconds kUntilPeriod{2};

class UntilWatch {
 public:
  /// `files`: where the program's words go; what they hold already is left out.
  UntilWatch(const Until& until, const std::vector<std::string>& files, Meter& meter);

  bool seen();

 private:
  struct Words {
    std::string path;
    int64_t offset = 0;
    std::string unmatched;  // the last line or so: an expression may span two reads
  };

  bool matches(Words& words) const;

  Until until_;
  Pattern pattern_;
  std::vector<Words> words_;
  Meter& meter_;
  int64_t answered_before_;
};

}  // namespace fairwire
