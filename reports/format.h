// Numbers as pages show them, the same under every locale. Units are always written: MB is 10^6
// bytes, MiB is 2^20. Digits follow the size, rounding may step up a size (999.95 is "1 000"), and
// a number that does not exist is an en dash, never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairwire {

inline constexpr std::string_view kNone = "–";            ///< U+2013
inline constexpr std::string_view kThinSpace = "\u202f";  ///< narrow, and does not break a line
inline constexpr std::string_view kTimesSign = "\u00d7";

/// Grouped by threes from 1 000 on.
std::string format_count(int64_t value);
/// About four digits: "0.0034", "0.342", "4.71", "28.98", "187.8", "1 234".
std::string format_decimal(double value);
/// "42.1 µs", "34.2 ms", "342 ms", "1.98 s", "187.8 s", "1 234 s".
std::string format_duration(double seconds);
/// In seconds whatever the size, so that the values of a column can be compared by eye.
std::string format_seconds(double seconds);
std::string format_mb(double bytes);   ///< "55.69 MB"
std::string format_mib(double bytes);  ///< "302.0 MiB"
std::string format_mb_per_s(double bytes_per_second);
std::string format_mib_per_s(double bytes_per_second);
std::string format_times(double factor);  ///< "1.07×"
std::string format_ratio(double factor);  ///< "1.073×": of two times that may be close
/// A share of something that may be exceeded: "88 %", "134 %", "3.4 %".
std::string format_share(double share);
/// How much of `wanted` is there: rounded down, 100 % only when all is, never above.
std::string format_coverage(int64_t got, int64_t wanted);

/// kNone for nothing, else what `format` makes of the value.
template <typename Value, typename Format>
std::string format_or_none(const std::optional<Value>& value, Format format) {
  return value ? std::string(format(*value)) : std::string(kNone);
}

}  // namespace fairwire
