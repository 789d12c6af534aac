// The two things a packet meets on a wire: a link that sends at a rate with a queue before it
// (LinkClock), and a line in which it waits for its time (DelayLine). Pure: no sockets, no clock.
// With a trace the rate changes as it says, under the packet that is being sent, too.
// Invariant: serialisation takes its time from the first packet on; idle time earns no credit;
// a delay line never drops and keeps order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "drivers/wires/service_curve.h"

namespace fairwire {

struct LinkRate {
  int64_t bits_per_second = 0;  ///< 0: no limit, and then no queue
  int64_t queue_bytes = 0;      ///< waiting and being sent; 0: no bound
};

/// Time that `bytes` take on the link, rounded down; zero without a limit.
Nanoseconds serialisation_time(int64_t bytes, int64_t bits_per_second);

class LinkClock {
 public:
  LinkClock() = default;
  explicit LinkClock(const LinkRate& rate) : rate_(rate) {}
  /// With a trace: at `rate` (its mean) until start().
  LinkClock(const LinkRate& rate, std::shared_ptr<const ServiceCurve> curve)
      : rate_(rate), curve_(std::move(curve)) {}

  bool limited() const { return rate_.bits_per_second > 0; }
  /// A packet arrives; arrivals are in order of time. When its last byte has been sent, or nullopt
  /// when the queue has no room for it (an idle link takes a packet of any size).
  std::optional<Nanoseconds> admit(int64_t bytes, Nanoseconds arrival);
  /// What still has to be sent at that time, to the byte up to 8 Gbit/s.
  int64_t backlog_bytes(Nanoseconds at) const;
  Nanoseconds free_at() const { return free_at_; }
  /// Another rate from now on: the bytes that wait stay, and take as long as they take at that
  /// rate.
  void set_rate(int64_t bits_per_second, Nanoseconds now);
  /// The trace begins: its time 0 is `now`; what waits, waits on. Without a trace nothing changes.
  void start(Nanoseconds now);

 private:
  LinkRate rate_;
  Nanoseconds free_at_{};
  int64_t fraction_ = 0;  // of a nanosecond beyond free_at_, in 1 / bits_per_second
  std::shared_ptr<const ServiceCurve> curve_;
  std::optional<Nanoseconds> origin_;  // of the trace, once it has begun
  Work work_ = 0;                      // on the curve: done when all that was admitted is sent
};

template <typename Item>
class DelayLine {
 public:
  /// A time before that of the last item becomes that time: nothing overtakes.
  void push(Item item, Nanoseconds due) {
    if (!items_.empty() && due < items_.back().first) due = items_.back().first;
    items_.emplace_back(due, std::move(item));
  }
  std::optional<Nanoseconds> next_wake() const {
    return items_.empty() ? std::nullopt : std::optional(items_.front().first);
  }
  const Item& front() const { return items_.front().second; }
  /// The first item when its time has come, with the time at which it was due.
  std::optional<std::pair<Nanoseconds, Item>> due(Nanoseconds now) {
    if (items_.empty() || items_.front().first > now) return std::nullopt;
    std::pair<Nanoseconds, Item> first = std::move(items_.front());
    items_.pop_front();
    return first;
  }
  bool empty() const { return items_.empty(); }

 private:
  std::deque<std::pair<Nanoseconds, Item>> items_;
};

}  // namespace fairwire
