// Log lines, docs/dataset.md section 3. Everything is copied from tables: no format library, no
// calendar call, so that a core makes several hundred MB/s and every machine makes the same.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/rng.h"
#include "datasets/content.h"

namespace fairwire {
namespace {

constexpr int64_t kBlockMilliseconds = 600'000;
constexpr size_t kLongestLine = 256;  // the tables below allow about 150

using Table16 = std::array<std::string_view, 16>;
using Table8 = std::array<std::string_view, 8>;

constexpr Table16 kLevels = {"INFO ", "INFO ", "INFO ", "INFO ", "INFO ", "INFO ",
                             "INFO ", "INFO ", "INFO ", "INFO ", "INFO ", "DEBUG",
                             "DEBUG", "WARN ", "WARN ", "ERROR"};
constexpr Table16 kWords = {"account",  "archive", "backup",  "catalog", "customer", "delivery",
                            "document", "invoice", "library", "message", "order",    "picture",
                            "product",  "project", "report",  "stock"};
constexpr Table8 kUnits = {"api", "auth", "cache", "index", "mail", "queue", "store", "sync"};

// In a message 1, 2, 3 stand for words, a, b, c for numbers and i for the identifier.
constexpr Table8 kMessages = {"request GET /{1}/{2}/{a}.html answered 200 with {b} bytes in {c} ms",
                              "request POST /{1}/{2} answered 201 in {c} ms, id {i}",
                              "read {b} records of /var/lib/{1}/{2}-{3}/{a}.dat",
                              "table {1}/{2} had {a} hits and {c} misses",
                              "session {i} of {1}.{2} opened from {3}-{c}",
                              "backlog of {1}-{2} holds {b} items, the oldest waits {a} ms",
                              "wrote segment {a} of {1}/{2}/{3}.log, {b} blocks, checksum {i}",
                              "retry {c} for {1} on node {2}-{b}: no answer after {a} ms"};

struct Draw {
  uint64_t a;
  uint64_t b;

  uint64_t bits(unsigned lowest, unsigned count) const {
    return a >> lowest & ((uint64_t{1} << count) - 1);
  }
};

class Line {
 public:
  const char* data() const { return text_; }
  size_t size() const { return size_; }
  void start_behind(size_t kept) { size_ = kept; }

  void text(std::string_view words) {
    std::memcpy(text_ + size_, words.data(), words.size());
    size_ += words.size();
  }
  void character(char c) { text_[size_++] = c; }
  void number(uint64_t value) {
    size_ =
        static_cast<size_t>(std::to_chars(text_ + size_, text_ + kLongestLine, value).ptr - text_);
  }
  void padded(int64_t value, int digits) {
    for (int i = digits - 1; i >= 0; --i, value /= 10) {
      text_[size_ + static_cast<size_t>(i)] = static_cast<char>('0' + value % 10);
    }
    size_ += static_cast<size_t>(digits);
  }
  void hex(uint64_t value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    for (int shift = 44; shift >= 0; shift -= 4) character(kDigits[value >> shift & 15]);
  }

 private:
  char text_[kLongestLine];
  size_t size_ = 0;
};

bool is_leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

void write_date(Line& line, int64_t day_since_2026) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int64_t year = 2026;
  for (; day_since_2026 >= (is_leap(year) ? 366 : 365); ++year) {
    day_since_2026 -= is_leap(year) ? 366 : 365;
  }
  size_t month = 0;
  const auto length = [&] { return kDays[month] + (month == 1 && is_leap(year) ? 1 : 0); };
  for (; day_since_2026 >= length(); ++month) day_since_2026 -= length();
  line.padded(year, 4);
  line.character('-');
  line.padded(static_cast<int64_t>(month) + 1, 2);
  line.character('-');
  line.padded(day_since_2026 + 1, 2);
}

// "2026-01-01T00:00:00." of a second since the start of 2026: 20 bytes.
void write_second(Line& line, int64_t second) {
  line.start_behind(0);
  write_date(line, second / 86'400);
  line.character('T');
  line.padded(second / 3'600 % 24, 2);
  line.character(':');
  line.padded(second / 60 % 60, 2);
  line.character(':');
  line.padded(second % 60, 2);
  line.character('.');
}

void write_message(Line& line, const Draw& draw) {
  std::string_view rest = kMessages[draw.bits(17, 3)];
  while (true) {
    const size_t brace = rest.find('{');
    line.text(rest.substr(0, brace));
    if (brace == std::string_view::npos) return;
    switch (rest[brace + 1]) {
      case '1':
        line.text(kWords[draw.bits(20, 4)]);
        break;
      case '2':
        line.text(kWords[draw.bits(24, 4)]);
        break;
      case '3':
        line.text(kWords[draw.bits(28, 4)]);
        break;
      case 'a':
        line.number(draw.bits(32, 16));
        break;
      case 'b':
        line.number(draw.bits(48, 12));
        break;
      case 'c':
        line.number(draw.b >> 48 & 255);
        break;
      default:
        line.hex(draw.b & ((uint64_t{1} << 48) - 1));
    }
    rest.remove_prefix(brace + 3);
  }
}

void write_rest(Line& line, int64_t millisecond, const Draw& draw) {
  line.padded(millisecond, 3);
  line.text("Z ");
  line.text(kLevels[draw.bits(5, 4)]);
  line.text(" [");
  line.text(kUnits[draw.bits(9, 3)]);
  line.character('-');
  line.padded(static_cast<int64_t>(draw.bits(12, 5)), 2);
  line.text("] ");
  write_message(line, draw);
  line.character('\n');
}

}  // namespace

void fill_log_text(uint64_t block_seed, int64_t block, std::span<std::byte> out) {
  Rng rng(block_seed);
  Line line;
  int64_t time = block * kBlockMilliseconds;
  int64_t second_written = -1;
  for (size_t done = 0; done < out.size();) {
    const uint64_t a = rng.next();
    const Draw draw{a, rng.next()};
    time += static_cast<int64_t>(draw.bits(0, 5));
    if (time / 1000 != second_written) write_second(line, second_written = time / 1000);
    line.start_behind(20);
    write_rest(line, time % 1000, draw);
    const size_t count = std::min(line.size(), out.size() - done);
    std::memcpy(out.data() + done, line.data(), count);
    done += count;
  }
  if (!out.empty()) out.back() = std::byte{'\n'};
}

}  // namespace fairwire
