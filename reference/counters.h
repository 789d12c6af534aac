// What a pull tells about itself: the counters file of docs/tool.md, and progress for people.
#pragma once

#include <chrono>
#include <string>

#include "reference/transfer/receiver.h"

namespace fairsync {

/// {"schema": 1, "sources": [{"source", "path", "blocks", "bytes"}]}; bytes are those of all
/// connections before encryption, listings too. Throws SystemError.
void write_counters(const std::string& path, const std::string& source, uint64_t blocks,
                    uint64_t bytes);

/// One line on standard error that writes over itself; nothing when not asked for.
class Progress {
 public:
  Progress(bool is_wanted, std::string verb) : is_wanted_(is_wanted), verb_(std::move(verb)) {}

  void show(uint64_t bytes);
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_wanted_;
  std::string verb_;
  Clock::time_point start_ = Clock::now();
  bool has_shown_ = false;
};

}  // namespace fairsync
