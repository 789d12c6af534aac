// How late something was, many times: a histogram in steps of about 3 %, of constant size.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "base/json.h"

namespace fairwire {

class Lateness {
 public:
  explicit Lateness(Nanoseconds bound) : bound_(bound) {}

  /// `packets` were late by `late`; negative counts as zero.
  void add(Nanoseconds late, int packets);
  /// The smallest step that `share` of the samples do not exceed; zero without samples.
  Nanoseconds quantile(double share) const;
  Nanoseconds maximum() const { return maximum_; }
  int64_t samples() const { return samples_; }
  int64_t late_packets() const { return late_packets_; }
  /// {median_us, p99_us, maximum_us, samples, late_packets, histogram}, times rounded up.
  /// `histogram`: [upper bound in us, samples] by doublings from 1 us on, without empty ones.
  Json to_json() const;

 private:
  static constexpr int kSubBits = 5;  // 32 steps for each doubling
  static constexpr size_t kSteps = (64 - kSubBits) << kSubBits;

  Json histogram() const;
  static size_t step_of(uint64_t value);
  static uint64_t top_of(size_t step);

  Nanoseconds bound_;
  Nanoseconds maximum_{};
  int64_t samples_ = 0;
  int64_t late_packets_ = 0;
  std::array<int64_t, kSteps> counts_{};
};

}  // namespace fairwire
