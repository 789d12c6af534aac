#include "drivers/wires/packet_queue.h"

#include <algorithm>

namespace fairwire {
namespace {

// Bits × 10^9, so that a division by the rate gives nanoseconds; fits for packets of 1 GB.
constexpr int64_t kBitNanoseconds = 8'000'000'000;

}  // namespace

Nanoseconds serialisation_time(int64_t bytes, int64_t bits_per_second) {
  if (bits_per_second <= 0) return Nanoseconds::zero();
  return Nanoseconds(bytes * kBitNanoseconds / bits_per_second);
}

int64_t LinkClock::backlog_bytes(Nanoseconds at) const {
  if (origin_) {
    const Work left = work_ - curve_->work_at(std::max(at - *origin_, Nanoseconds::zero()));
    return left <= 0 ? 0 : static_cast<int64_t>(left / kBitNanoseconds);
  }
  if (!limited() || free_at_ <= at) return 0;
  const double bits = static_cast<double>((free_at_ - at).count()) * 1e-9 *
                      static_cast<double>(rate_.bits_per_second);
  return static_cast<int64_t>(bits / 8 + 0.5);
}

void LinkClock::start(Nanoseconds now) {
  if (curve_ == nullptr) return;
  work_ = Work{backlog_bytes(now)} * kBitNanoseconds;
  origin_ = now;
}

void LinkClock::set_rate(int64_t bits_per_second, Nanoseconds now) {
  const int64_t backlog = backlog_bytes(now);
  origin_.reset();
  curve_.reset();  // what was declared is overruled
  rate_.bits_per_second = bits_per_second;
  if (backlog > 0) free_at_ = now + serialisation_time(backlog, bits_per_second);
  fraction_ = 0;
}

std::optional<Nanoseconds> LinkClock::admit(int64_t bytes, Nanoseconds arrival) {
  if (!limited()) {
    free_at_ = std::max(free_at_, arrival);
    return arrival;
  }
  const int64_t backlog = backlog_bytes(arrival);
  if (backlog > 0 && rate_.queue_bytes > 0 && backlog + bytes > rate_.queue_bytes) {
    return std::nullopt;
  }
  if (origin_) {
    const Nanoseconds time = std::max(arrival - *origin_, Nanoseconds::zero());
    work_ = std::max(work_, curve_->work_at(time)) + Work{bytes} * kBitNanoseconds;
    free_at_ = *origin_ + curve_->time_of(work_);
    return free_at_;
  }
  if (arrival > free_at_) {
    free_at_ = arrival;
    fraction_ = 0;
  }
  const int64_t work = bytes * kBitNanoseconds + fraction_;
  free_at_ += Nanoseconds(work / rate_.bits_per_second);
  fraction_ = work % rate_.bits_per_second;
  return free_at_;
}

}  // namespace fairwire
