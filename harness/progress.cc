#include "harness/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"

namespace fairwire {
namespace {

std::string in_words(const TrialRecord& record) {
  if (record.outcome == Outcome::completed || record.verdict == Verdict::different) {
    double seconds = 0;
    for (const OpRecord& op : record.ops) seconds += static_cast<double>(op.wall_ns) / 1e9;
    const char* word = record.verdict == Verdict::identical   ? "verified"
                       : record.verdict == Verdict::different ? "MISMATCH"
                                                              : "not verified";
    return fmt::format("{:.3f} s  {}", seconds, word);
  }
  return to_string(record.outcome) + ": " + printable(record.reason);
}

}  // namespace

std::string rough_duration(Nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(int64_t trials, Nanoseconds expected, bool terminal, Clock& clock,
                   std::function<void(const std::string&)> write)
    : trials_(trials),
      expected_(expected),
      terminal_(terminal),
      clock_(clock),
      write_(std::move(write)),
      started_(clock.now()) {}

// The expectation counts for less the more of the run is behind us.
Nanoseconds Progress::left() const {
  const double share =
      static_cast<double>(done_) / static_cast<double>(std::max<int64_t>(trials_, 1));
  const double spent = std::chrono::duration<double>(clock_.now() - started_).count();
  const double expected = std::chrono::duration<double>(expected_).count();
  const double from_pace = done_ > 0 ? spent / share * (1 - share) : expected;
  const double seconds = share * from_pace + (1 - share) * std::max(0.0, expected - spent);
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

void Progress::begin(const std::string& case_name, const std::string& variant, int64_t round) {
  if (!terminal_) return;
  constexpr int64_t kWidth = 24;
  const int64_t filled = trials_ > 0 ? kWidth * done_ / trials_ : kWidth;
  const std::string bar = std::string(static_cast<size_t>(filled), '#') +
                          std::string(static_cast<size_t>(kWidth - filled), '.');
  write_(fmt::format("\r\x1b[K[{}] {}/{}  about {} left  {} {} round {}", bar, done_, trials_,
                     rough_duration(left()), printable(case_name), printable(variant), round));
}

void Progress::end(const TrialRecord& record) {
  ++done_;
  if (terminal_ && record.outcome == Outcome::completed && record.verdict == Verdict::identical) {
    return;
  }
  write_(fmt::format("{}[{}/{}] {} {} round {}: {}\n", terminal_ ? "\r\x1b[K" : "", done_, trials_,
                     printable(record.case_name), printable(record.variant), record.round,
                     in_words(record)));
}

void Progress::finish() {
  if (terminal_) write_("\r\x1b[K");
}

}  // namespace fairwire
