#include "drivers/wires/lateness.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fairwire {
namespace {

int64_t microseconds_up(Nanoseconds time) {
  return std::chrono::ceil<std::chrono::microseconds>(time).count();
}

}  // namespace

// Below 32 exact; above, the 5 bits after the leading one.
size_t Lateness::step_of(uint64_t value) {
  if (value < (1u << kSubBits)) return value;
  const int shift = static_cast<int>(std::bit_width(value)) - 1 - kSubBits;
  return (static_cast<size_t>(shift) << kSubBits) + (value >> shift);
}

uint64_t Lateness::top_of(size_t step) {
  if (step < (2u << kSubBits)) return step;
  const size_t shift = (step >> kSubBits) - 1;
  const uint64_t value = (step & ((1u << kSubBits) - 1)) | (1u << kSubBits);
  return ((value + 1) << shift) - 1;
}

void Lateness::add(Nanoseconds late, int packets) {
  late = std::max(late, Nanoseconds::zero());
  maximum_ = std::max(maximum_, late);
  ++samples_;
  if (late > bound_) late_packets_ += packets;
  ++counts_[step_of(static_cast<uint64_t>(late.count()))];
}

Nanoseconds Lateness::quantile(double share) const {
  const auto wanted = static_cast<int64_t>(std::ceil(share * static_cast<double>(samples_)));
  int64_t seen = 0;
  for (size_t step = 0; step < kSteps; ++step) {
    seen += counts_[step];
    if (seen > 0 && seen >= wanted) {
      return std::min(maximum_, Nanoseconds(static_cast<int64_t>(top_of(step))));
    }
  }
  return Nanoseconds::zero();
}

Json Lateness::histogram() const {
  Json rows = Json::array();
  int64_t samples = 0;
  uint64_t top_us = 1;
  const auto close = [&] {
    if (samples > 0) rows.push(Json::array({static_cast<int64_t>(top_us), samples}));
    samples = 0;
  };
  for (size_t step = 0; step < kSteps; ++step) {
    if (counts_[step] == 0) continue;
    while (top_of(step) > top_us * 1000) {
      close();
      top_us *= 2;
    }
    samples += counts_[step];
  }
  close();
  return rows;
}

Json Lateness::to_json() const {
  return Json::object({{"median_us", microseconds_up(quantile(0.5))},
                       {"p99_us", microseconds_up(quantile(0.99))},
                       {"maximum_us", microseconds_up(maximum_)},
                       {"samples", samples_},
                       {"late_packets", late_packets_},
                       {"histogram", histogram()}});
}

}  // namespace fairwire
