#include "reports/format.h"

#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <utility>
#include <vector>

namespace fairwire {
namespace {

using Golden = std::vector<std::pair<double, std::string>>;

// What is written with a plain space below is compared with thin spaces put in by hand.
std::string thin(std::string text) {
  for (size_t at = text.find('_'); at != std::string::npos; at = text.find('_', at)) {
    text.replace(at, 1, kThinSpace);
  }
  return text;
}

void expect_golden(const Golden& golden, std::string (*format)(double)) {
  for (const auto& [value, text] : golden) EXPECT_EQ(format(value), thin(text)) << value;
}

TEST(Format, CountsAreGrouped) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), thin("1_000"));
  EXPECT_EQ(format_count(1234567), thin("1_234_567"));
  EXPECT_EQ(format_count(-123456), thin("-123_456"));
}

TEST(Format, DecimalsStepUpASize) {
  expect_golden({{0, "0"},
                 {0.00001, "<0.0001"},
                 {0.0034, "0.0034"},
                 {0.09994, "0.0999"},
                 {0.09996, "0.100"},
                 {0.342, "0.342"},
                 {0.9994, "0.999"},
                 {0.9996, "1.00"},
                 {4.705, "4.71"},
                 {99.994, "99.99"},
                 {99.996, "100.0"},
                 {187.84, "187.8"},
                 {999.94, "999.9"},
                 {999.95, "1_000"},
                 {1000, "1_000"},
                 {58390629.65, "58_390_630"}},
                format_decimal);
}

TEST(Format, DurationsHaveSensibleDigits) {
  expect_golden({{0, "0 s"},
                 {0.0000421, "42.1 µs"},
                 {0.0009996, "1.00 ms"},
                 {0.00342, "3.42 ms"},
                 {0.0342, "34.2 ms"},
                 {0.342, "342 ms"},
                 {0.9996, "1.00 s"},
                 {1.979, "1.98 s"},
                 {28.98, "28.98 s"},
                 {187.8, "187.8 s"},
                 {999.95, "1_000 s"},
                 {4321.5, "4_322 s"}},
                format_duration);
  expect_golden({{0, "0.00 s"}, {0.342, "0.342 s"}, {0.9996, "1.00 s"}, {28.98, "28.98 s"}},
                format_seconds);
}

// Case C21: the same 58 390 629.65 bytes per second in both units.
TEST(Format, MegabytesAndMebibytesAreNotTheSame) {
  EXPECT_EQ(format_mib_per_s(58390629.65), "55.69 MiB/s");
  EXPECT_EQ(format_mb_per_s(58390629.65), "58.39 MB/s");
  EXPECT_EQ(format_mb(1048576), "1.05 MB");
  EXPECT_EQ(format_mib(1048576), "1.0 MiB");
  EXPECT_EQ(format_mib(316669952), "302.0 MiB");
}

TEST(Format, SharesMayExceedTheWholeAndCoverageNever) {
  expect_golden({{0, "0.0 %"}, {0.034, "3.4 %"}, {0.0996, "10 %"}, {0.88, "88 %"}, {1.34, "134 %"}},
                format_share);
  EXPECT_EQ(format_coverage(0, 1664), "0.0 %");
  EXPECT_EQ(format_coverage(1663, 1664), "99.9 %");
  EXPECT_EQ(format_coverage(999'999'999, 1'000'000'000), "99.9 %");
  EXPECT_EQ(format_coverage(1664, 1664), "100 %");
  EXPECT_EQ(format_coverage(10400, 1664), "100 %");
  EXPECT_EQ(format_coverage(0, 0), kNone);
  EXPECT_EQ(format_times(1.0666), "1.07×");
}

TEST(Format, NothingIsADash) {
  EXPECT_EQ(format_or_none(std::optional<double>{}, format_seconds), "–");
  EXPECT_EQ(format_or_none(std::optional<double>{2}, format_seconds), "2.00 s");
}

// A numpunct of our own stands in for de_DE, which a test machine need not have.
struct CommaPoint final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Format, TheLocaleChangesNothing) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaPoint));
  EXPECT_EQ(format_seconds(28.98), "28.98 s");
  EXPECT_EQ(format_count(1234567), thin("1_234_567"));
  EXPECT_EQ(format_mb_per_s(1.5e6), "1.50 MB/s");
  std::locale::global(before);
}

}  // namespace
}  // namespace fairwire
