// How the cost of a whole grows with the number of its pieces: total ~ pieces^e. Anything done per
// piece that costs the same however many came before has e = 1; one that looks at all that came
// before has e = 2.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace fairwire {

/// At 64 times the pieces, e = 1.15 lets a piece cost 64^0.15 = 1.87 times as much: room for
/// caches that no longer hold everything, none for a loop over what came before.
inline constexpr double kMostExponent = 1.15;

/// Least squares on the logarithms of (pieces, cost); both above 0, at least two points.
inline double cost_exponent(const std::vector<std::pair<int64_t, double>>& points) {
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const auto& [pieces, cost] : points) {
    const double x = std::log(static_cast<double>(pieces));
    const double y = std::log(cost);
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const auto n = static_cast<double>(points.size());
  return (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
}

}  // namespace fairwire
