#include "drivers/wires/wire_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/rng.h"

namespace fairwire {
namespace {

constexpr size_t kMostBytes = 64 << 20;
constexpr size_t kMostRows = 4'000'000;
constexpr double kMostSeconds = 7 * 24 * 3600;
constexpr int64_t kMostRate = int64_t{1} << 42;
constexpr int64_t kOpportunity = 1538;  // a full segment with its framing
constexpr std::string_view kHeader = "t,rate,delay,loss";

// The lines of a text, with their numbers for errors.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<std::string_view> next() {
    if (text_.empty()) return std::nullopt;
    if (++number_ > kMostRows) fail("the trace has more than 4 million lines");
    const size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw FormatError(file_, "line " + std::to_string(number_), reason);
  }

 private:
  std::string_view text_;
  const std::string& file_;
  size_t number_ = 0;
};

double number_of(const Lines& lines, std::string_view text, const char* what, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= most)) {
    lines.fail(fmt::format("\"{}\" is no {} (0 to {:g})", text, what, most));
  }
  return value;
}

int64_t rate_of(const Lines& lines, std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"kbit", 1000}, {"mbit", 1'000'000}, {"gbit", 1'000'000'000}, {"bit", 1}};
  for (const auto& [unit, scale] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const double number = number_of(lines, text.substr(0, text.size() - unit.size()), "rate",
                                    static_cast<double>(kMostRate / scale));
    return std::llround(number * static_cast<double>(scale));
  }
  lines.fail(fmt::format("\"{}\" is no rate; write a number and bit, kbit, mbit or gbit", text));
}

Nanoseconds nanoseconds_of(double seconds) {
  return Nanoseconds(std::llround(seconds * 1e9));
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// Empty cells keep what was before them.
WireTrace parse_csv(std::string_view text, const std::string& file, Nanoseconds repeat) {
  Lines lines(text, file);
  const auto header = lines.next();
  if (!header || *header != kHeader) lines.fail("the first line must read " + std::string(kHeader));
  std::vector<ServiceCurve::Step> steps;
  WireTrace trace;
  trace.repeat = repeat;
  WireTrace::Row row;
  bool has_row = false;
  while (const auto line = lines.next()) {
    const auto cells = cells_of(*line);
    if (cells.size() != 4) lines.fail("must have four cells: " + std::string(kHeader));
    row.at = nanoseconds_of(number_of(lines, cells[0], "time in seconds", kMostSeconds));
    if (!cells[1].empty()) steps.push_back({row.at, rate_of(lines, cells[1])});
    if (!cells[2].empty()) {
      row.delay = nanoseconds_of(number_of(lines, cells[2], "delay in ms", 3'600'000) / 1000);
    }
    if (!cells[3].empty()) row.loss = number_of(lines, cells[3], "loss", 1);
    has_row = has_row || !cells[2].empty() || !cells[3].empty();
    if (!trace.rows.empty() && row.at <= trace.rows.back().at) lines.fail("times must rise");
    trace.rows.push_back(row);
  }
  if (trace.rows.empty() || trace.rows[0].at != Nanoseconds::zero()) {
    lines.fail("the first row must be of time 0");
  }
  if (repeat > Nanoseconds::zero() && repeat <= trace.rows.back().at) {
    lines.fail("repeat_s must be behind the last row");
  }
  if (!has_row) trace.rows.clear();
  try {
    if (!steps.empty()) {
      trace.rate = std::make_shared<ServiceCurve>(ServiceCurve::from_steps(steps, repeat));
    }
  } catch (const std::invalid_argument& error) {
    throw FormatError(file, "", error.what());
  }
  return trace;
}

WireTrace parse_mahimahi(std::string_view text, const std::string& file) {
  Lines lines(text, file);
  std::vector<Nanoseconds> times;
  while (const auto line = lines.next()) {
    int64_t ms = 0;
    const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), ms);
    if (error != std::errc() || end != line->data() + line->size() || ms < 0 ||
        ms > static_cast<int64_t>(kMostSeconds * 1000)) {
      lines.fail("must be a time in whole milliseconds, one line a delivery");
    }
    times.emplace_back(std::chrono::milliseconds(ms));
    if (times.size() > 1 && times.back() < times[times.size() - 2]) lines.fail("times must rise");
  }
  WireTrace trace;
  try {
    trace.rate =
        std::make_shared<ServiceCurve>(ServiceCurve::from_opportunities(times, kOpportunity));
  } catch (const std::invalid_argument& error) {
    throw FormatError(file, "", error.what());
  }
  trace.repeat = times.back();
  return trace;
}

}  // namespace

const WireTrace::Row& WireTrace::row_at(Nanoseconds time) const {
  if (repeat > Nanoseconds::zero()) time %= repeat;
  const auto next = std::ranges::upper_bound(rows, time, {}, &Row::at);
  return next == rows.begin() ? rows.front() : *(next - 1);
}

WireTrace parse_trace(std::string_view text, const std::string& file, Nanoseconds repeat) {
  if (file.ends_with(".csv")) return parse_csv(text, file, repeat);
  if (repeat > Nanoseconds::zero()) {
    throw FormatError(file, "", "a trace of deliveries repeats by itself; leave repeat_s out");
  }
  return parse_mahimahi(text, file);
}

WireTrace load_trace(const std::string& file, Nanoseconds repeat) {
  return parse_trace(read_file(file, kMostBytes), file, repeat);
}

std::string make_walk(const WalkOptions& options) {
  const int64_t least = options.least_bits_per_second;
  const int64_t most = options.most_bits_per_second;
  if (least <= 0 || most < least || most > kMostRate) {
    throw std::invalid_argument("a walk needs rates from 1 bit/s on, the least not above the most");
  }
  if (options.step <= Nanoseconds::zero() || options.length < options.step ||
      options.length / options.step > static_cast<int64_t>(kMostRows) - 2) {
    throw std::invalid_argument("a walk needs 1 to 4 million steps");
  }
  constexpr double kWidest = 0.5;  // of a step, in units of ln: a factor of 0.6 to 1.65
  Rng rng(options.seed);
  const double low = std::log(static_cast<double>(least));
  const double high = std::log(static_cast<double>(most));
  double at = (low + high) / 2;
  std::string csv = std::string(kHeader) + "\n";
  const int64_t steps = options.length / options.step;
  for (int64_t i = 0; i < steps; ++i) {
    const double share = std::ldexp(static_cast<double>(rng.next() >> 11), -53);
    at = std::clamp(at + kWidest * (2 * share - 1), low, high);
    const auto seconds = static_cast<double>((options.step * i).count()) / 1e9;
    csv += fmt::format("{},{}kbit,,\n", seconds, std::llround(std::exp(at) / 1000));
  }
  return csv;
}

}  // namespace fairwire
