// What a link can have sent by a time, when its rate changes in a way that is known before: steps
// of rates, or the delivery opportunities of a mahimahi trace. Pure. Invariants: work is exact
// (bits × 10^9 as integers), and asking costs a search in the trace, however long it has been
// running; work that nobody used is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace fairwire {

__extension__ using Work = __int128;  ///< bits × 10^9, so that rate × nanoseconds is work

class ServiceCurve {
 public:
  struct Step {
    Nanoseconds at{};
    int64_t bits_per_second = 0;  ///< from `at` on; 0: nothing is sent
  };

  /// Steps in ascending order, the first at 0. With `period` (behind the last step) they repeat;
  /// without, the last one holds, and must not be 0. Throws std::invalid_argument.
  static ServiceCurve from_steps(const std::vector<Step>& steps, Nanoseconds period);
  /// `times`, ascending: at each so many bytes may leave, at once; repeated after the last one.
  static ServiceCurve from_opportunities(const std::vector<Nanoseconds>& times, int64_t bytes);

  /// What could have been sent from time 0 to `time`, opportunities at `time` included.
  Work work_at(Nanoseconds time) const;
  /// The earliest time at which that much work can have been done.
  Nanoseconds time_of(Work work) const;
  /// Work of a whole period by its length; without a period the last rate. For theory and queues.
  int64_t mean_bits_per_second() const;
  int64_t highest_bits_per_second() const { return highest_; }

 private:
  struct Point {
    Nanoseconds at{};
    Work before = 0;  // done when `at` comes
    Work after = 0;   // with what may leave at that moment
    int64_t bits_per_second = 0;
  };

  Work work_in(Nanoseconds time) const;
  Nanoseconds time_in(Work work) const;

  std::vector<Point> points_;
  Nanoseconds period_{};  // 0: the last rate holds
  Work whole_ = 0;        // of a period
  int64_t highest_ = 0;
};

}  // namespace fairwire
