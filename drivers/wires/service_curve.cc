#include "drivers/wires/service_curve.h"

#include <algorithm>
#include <stdexcept>

namespace fairwire {
namespace {

constexpr int64_t kBillion = 1'000'000'000;

}  // namespace

ServiceCurve ServiceCurve::from_steps(const std::vector<Step>& steps, Nanoseconds period) {
  if (steps.empty() || steps[0].at != Nanoseconds::zero()) {
    throw std::invalid_argument("a trace begins at 0");
  }
  ServiceCurve curve;
  Work work = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) {
      const Nanoseconds lasted = steps[i].at - steps[i - 1].at;
      if (lasted <= Nanoseconds::zero()) throw std::invalid_argument("times of a trace must rise");
      work += Work{steps[i - 1].bits_per_second} * lasted.count();
    }
    if (steps[i].bits_per_second < 0) throw std::invalid_argument("a rate is not below 0");
    curve.points_.push_back({steps[i].at, work, work, steps[i].bits_per_second});
    curve.highest_ = std::max(curve.highest_, steps[i].bits_per_second);
  }
  curve.period_ = period;
  if (period > Nanoseconds::zero()) {
    if (period <= steps.back().at) throw std::invalid_argument("a trace ends before its last step");
    curve.whole_ = work + Work{steps.back().bits_per_second} * (period - steps.back().at).count();
    if (curve.whole_ == 0) throw std::invalid_argument("a trace that never sends");
  } else if (steps.back().bits_per_second == 0) {
    throw std::invalid_argument("a trace whose last rate is 0 never sends again");
  }
  return curve;
}

ServiceCurve ServiceCurve::from_opportunities(const std::vector<Nanoseconds>& times,
                                              int64_t bytes) {
  if (times.empty() || times.back() <= Nanoseconds::zero()) {
    throw std::invalid_argument("a trace of deliveries needs a time above 0");
  }
  ServiceCurve curve;
  const Work each = Work{bytes} * 8 * kBillion;
  Work work = 0;
  curve.points_.push_back({});
  for (const Nanoseconds time : times) {
    if (time < curve.points_.back().at) throw std::invalid_argument("times of a trace must rise");
    if (time > curve.points_.back().at) curve.points_.push_back({time, work, work, 0});
    work += each;
    curve.points_.back().after = work;
  }
  curve.period_ = times.back();
  // What may leave at the last moment belongs to this period; the next begins with nothing.
  curve.whole_ = work;
  curve.highest_ = curve.mean_bits_per_second();
  return curve;
}

Work ServiceCurve::work_in(Nanoseconds time) const {
  const auto next = std::ranges::upper_bound(points_, time, {}, &Point::at);
  const Point& point = *(next - 1);
  return point.after + Work{point.bits_per_second} * (time - point.at).count();
}

Work ServiceCurve::work_at(Nanoseconds time) const {
  if (period_ <= Nanoseconds::zero() || time < period_) return work_in(time);
  const int64_t rounds = time / period_;
  const Nanoseconds rest = time % period_;
  return whole_ * rounds + work_in(rest);
}

Nanoseconds ServiceCurve::time_in(Work work) const {
  // The first point by whose moment it is done, or the stretch before it.
  const auto done = std::ranges::lower_bound(points_, work, {}, &Point::after);
  if (done != points_.end() && (done == points_.begin() || work > done->before)) return done->at;
  const Point& point = *(done - 1);
  const Work left = work - point.after;
  if (point.bits_per_second == 0) return done->at;
  return point.at + Nanoseconds(static_cast<int64_t>((left + point.bits_per_second - 1) /
                                                     point.bits_per_second));
}

Nanoseconds ServiceCurve::time_of(Work work) const {
  if (work <= 0) return Nanoseconds::zero();
  if (period_ <= Nanoseconds::zero() || work <= whole_) return time_in(work);
  const auto rounds = static_cast<int64_t>((work - 1) / whole_);
  return period_ * rounds + time_in(work - whole_ * rounds);
}

int64_t ServiceCurve::mean_bits_per_second() const {
  if (period_ <= Nanoseconds::zero()) return points_.back().bits_per_second;
  return static_cast<int64_t>(whole_ / period_.count());
}

}  // namespace fairwire
