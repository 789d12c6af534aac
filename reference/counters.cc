#include "reference/counters.h"

#include <unistd.h>

#include <cstdio>

#include "base/file_descriptor.h"
#include "base/json.h"

namespace fairsync {

void write_counters(const std::string& path, const std::string& source, uint64_t blocks,
                    uint64_t bytes) {
  using fairwire::Json;
  const Json one =
      Json::object({{"source", source}, {"path", "direct"}, {"blocks", blocks}, {"bytes", bytes}});
  const Json all = Json::object({{"schema", 1}, {"sources", Json::array({one})}});
  fairwire::write_file(path, all.dump() + "\n");
}

void Progress::show(uint64_t bytes) {
  if (!is_wanted_) return;
  const std::chrono::duration<double> past = Clock::now() - start_;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  char line[120];
  const int length =
      std::snprintf(line, sizeof line, "\r%s %.1f MB in %.1f s, %.1f MB/s   ", verb_.c_str(),
                    megabytes, past.count(), megabytes / std::max(past.count(), 1e-3));
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, line, static_cast<size_t>(length));
  has_shown_ = true;
}

void Progress::end() {
  if (!has_shown_) return;
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, "\n", 1);
}

}  // namespace fairsync
