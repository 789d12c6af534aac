#include "reports/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fairwire {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;

// Exact digits of a double; to_chars knows no locale.
std::string fixed(double value, int decimals) {
  char buffer[400];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr;
  return std::string(buffer, end);
}

std::string grouped(const std::string& digits) {
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += kThinSpace;
    text += digits[i];
  }
  return text;
}

// Decimals are chosen for the number as it will read, so that 999.95 becomes 1 000 and not 1000.0.
std::string decimal(double value, int small, int hundreds) {
  const auto below = [&](int decimals, double bound) {
    return std::abs(value) + 0.5 * std::pow(10.0, -decimals) < bound;
  };
  if (below(small, 100)) return fixed(value, small);
  if (below(hundreds, 1000)) return fixed(value, hundreds);
  return grouped(fixed(value, 0));
}

std::string in_milliseconds(double milliseconds, std::string_view unit) {
  const std::string number = milliseconds + 0.005 < 10   ? fixed(milliseconds, 2)
                             : milliseconds + 0.05 < 100 ? fixed(milliseconds, 1)
                                                         : fixed(milliseconds, 0);
  return number + " " + std::string(unit);
}

}  // namespace

std::string format_count(int64_t value) {
  return grouped(std::to_string(value));
}

std::string format_decimal(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 0.0001) return value < 0 ? "-<0.0001" : "<0.0001";
  if (size + 0.00005 < 0.1) return fixed(value, 4);
  if (size + 0.0005 < 1) return fixed(value, 3);
  return decimal(value, 2, 1);
}

std::string format_duration(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds + 0.5e-6 < 1e-3) return in_milliseconds(seconds * 1e6, "µs");
  if (seconds + 0.5e-3 < 1) return in_milliseconds(seconds * 1e3, "ms");
  return decimal(seconds, 2, 1) + " s";
}

std::string format_seconds(double seconds) {
  if (seconds != 0 && seconds + 0.0005 < 1) return fixed(seconds, 3) + " s";
  return decimal(seconds, 2, 1) + " s";
}

std::string format_mb(double bytes) {
  return format_decimal(bytes / 1e6) + " MB";
}

std::string format_mib(double bytes) {
  return decimal(bytes / kMebi, 1, 1) + " MiB";
}

std::string format_mb_per_s(double bytes_per_second) {
  return format_decimal(bytes_per_second / 1e6) + " MB/s";
}

std::string format_mib_per_s(double bytes_per_second) {
  return format_decimal(bytes_per_second / kMebi) + " MiB/s";
}

std::string format_times(double factor) {
  return decimal(factor, 2, 1) + std::string(kTimesSign);
}

std::string format_ratio(double factor) {
  return std::abs(factor) + 0.0005 < 10 ? fixed(factor, 3) + std::string(kTimesSign)
                                        : format_times(factor);
}

std::string format_share(double share) {
  const double percent = 100 * share;
  return (percent + 0.05 < 10 ? fixed(percent, 1) : grouped(fixed(percent, 0))) + " %";
}

std::string format_coverage(int64_t got, int64_t wanted) {
  if (wanted <= 0) return std::string(kNone);
  if (got >= wanted) return "100 %";
  const double tenths =
      1000.0 * static_cast<double>(std::max<int64_t>(got, 0)) / static_cast<double>(wanted);
  return fixed(std::min(std::floor(tenths), 999.0) / 10, 1) + " %";
}

}  // namespace fairwire
