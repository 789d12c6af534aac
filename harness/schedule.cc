#include "harness/schedule.h"

#include <algorithm>
#include <numeric>

#include "base/rng.h"

namespace fairwire {
namespace {

void shuffle(std::vector<size_t>& items, Rng& rng) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng.below(i)]);
}

// 0, 1, n-1, 2, n-2, …: the first row of a Williams square.
std::vector<size_t> zigzag(size_t count) {
  std::vector<size_t> row;
  for (size_t i = 0; i < count; ++i)
    row.push_back(i % 2 == 1 ? (i + 1) / 2 : (count - i / 2) % count);
  return row;
}

// One block: every row of the design once. An odd count needs the mirrored rows too.
std::vector<std::vector<size_t>> williams_block(size_t count, Rng& rng) {
  std::vector<size_t> labels(count);
  std::iota(labels.begin(), labels.end(), 0);
  shuffle(labels, rng);
  const std::vector<size_t> first = zigzag(count);
  const size_t rows = count % 2 == 0 ? count : 2 * count;
  std::vector<std::vector<size_t>> block;
  for (size_t shift = 0; shift < rows; ++shift) {
    std::vector<size_t> row;
    for (const size_t place : first) row.push_back(labels[(place + shift) % count]);
    if (shift >= count) std::reverse(row.begin(), row.end());
    block.push_back(std::move(row));
  }
  return block;
}

}  // namespace

std::vector<std::vector<size_t>> balanced_orders(size_t count, int64_t rounds, uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<size_t>> orders;
  if (count == 0) return orders;
  if (count <= 2) {
    const bool swapped = count == 2 && rng.below(2) == 1;
    for (int64_t round = 0; round < rounds; ++round) {
      // A B, B A, B A, A B: the ABBA pattern cancels a steady drift over every two rounds.
      const bool reversed = (round % 4 == 1 || round % 4 == 2) != swapped;
      if (count == 1) {
        orders.push_back({0});
      } else {
        orders.push_back(reversed ? std::vector<size_t>{1, 0} : std::vector<size_t>{0, 1});
      }
    }
    return orders;
  }
  while (orders.size() < static_cast<size_t>(rounds)) {
    const auto block = williams_block(count, rng);
    std::vector<size_t> row_order(block.size());
    std::iota(row_order.begin(), row_order.end(), 0);
    shuffle(row_order, rng);
    for (const size_t row : row_order) orders.push_back(block[row]);
  }
  orders.resize(static_cast<size_t>(rounds));
  return orders;
}

std::vector<PlannedTrial> make_schedule(const Plan& plan) {
  std::vector<std::vector<std::vector<size_t>>> orders;
  int64_t most_rounds = 0;
  for (const CaseSpec& spec : plan.cases) {
    orders.push_back(
        balanced_orders(spec.variants.size(), spec.rounds, derive_seed(plan.seed, spec.name)));
    most_rounds = std::max(most_rounds, spec.rounds);
  }
  std::vector<PlannedTrial> schedule;
  const auto add = [&](size_t index, const std::string& variant, bool control, int64_t round,
                       int64_t order) {
    const auto number = static_cast<int64_t>(schedule.size()) + 1;
    schedule.push_back({number, index, variant, control, round, order});
  };
  for (int64_t round = 1; round <= most_rounds; ++round) {
    for (size_t index = 0; index < plan.cases.size(); ++index) {
      const CaseSpec& spec = plan.cases[index];
      if (round > spec.rounds) continue;
      for (const std::string& control : spec.controls) add(index, control, true, round, 0);
      int64_t order = 0;
      for (const size_t variant : orders[index][static_cast<size_t>(round - 1)]) {
        add(index, spec.variants[variant].name, false, round, ++order);
      }
    }
  }
  return schedule;
}

Nanoseconds expected_duration(const std::vector<PlannedTrial>& schedule,
                              const std::vector<CaseSize>& sizes) {
  // Orders of magnitude from the field: a tool moves some 200 MB/s on one core, a small file
  // costs it some 0.3 ms and a fraction of a round trip; machines, judge and set-up half a second.
  constexpr double kToolBytesPerSecond = 200e6;
  constexpr double kSecondsPerFile = 3e-4;
  constexpr double kRoundTripsPerFile = 1.5;
  constexpr double kSetUpSeconds = 0.6;
  constexpr double kControlSeconds = 1.2;
  double seconds = 0;
  for (const PlannedTrial& trial : schedule) {
    if (trial.control) {
      seconds += kControlSeconds;
      continue;
    }
    const CaseSize& size = sizes[trial.case_index];
    const auto bytes = static_cast<double>(size.bytes);
    double rate = kToolBytesPerSecond;
    if (size.wire_bytes_per_second > 0) {
      rate = std::min(rate, static_cast<double>(size.wire_bytes_per_second));
    }
    const double round_trip = std::chrono::duration<double>(size.round_trip).count();
    seconds +=
        kSetUpSeconds + bytes / rate + 12 * round_trip +
        static_cast<double>(size.files) * (kSecondsPerFile + kRoundTripsPerFile * round_trip);
  }
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace fairwire
