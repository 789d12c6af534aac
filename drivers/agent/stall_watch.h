// The no-progress watchdog's rule, pure: fed with what the machine did, it says when a whole window
// has passed without enough of it (docs/agent.md, "The watchdog").
#pragma once

#include <functional>

#include "base/clock.h"
#include "drivers/meter.h"

namespace fairwire {

class StallWatch {
 public:
  /// A zero window never stalls.
  StallWatch(Nanoseconds window, Nanoseconds now, const Activity& start);

  /// Whether a window has passed since the last progress. `wire_counts` says whether a tool holds
  /// a socket that could have carried the interfaces' bytes; asked only where it decides.
  bool stalled(Nanoseconds now, const Activity& seen, const std::function<bool()>& wire_counts);
  /// How often to look: fine against the window, rare against the cost of looking.
  Nanoseconds period() const;

 private:
  Nanoseconds window_;
  Nanoseconds mark_;
  Activity at_mark_;
};

}  // namespace fairwire
