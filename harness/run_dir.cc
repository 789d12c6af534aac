#include "harness/run_dir.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/temp_dir.h"

namespace fairwire {

RunDir::RunDir(const std::string& root, const std::string& plan, Nanoseconds wall) {
  std::string label = utc_label(wall);
  std::erase_if(label, [](char c) { return c == '-' || c == ':'; });
  make_directories(root + "/" + plan);
  for (int number = 1;; ++number) {
    run_ = plan + "/" + label + (number > 1 ? "-" + std::to_string(number) : "");
    path_ = root + "/" + run_;
    if (::mkdir(path_.c_str(), 0755) == 0) return;
    if (errno != EEXIST) throw_system_error("make directory", path_);
  }
}

RunDir::RunDir(const std::string& path) : path_(path) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  const size_t last = path_.rfind('/');
  const size_t before = last == std::string::npos || last == 0 ? last : path_.rfind('/', last - 1);
  run_ = before == std::string::npos ? path_ : path_.substr(before + 1);
}

std::string RunDir::trial_folder(int64_t trial) const {
  return fmt::format("{}/trials/{:04}", path_, trial);
}

}  // namespace fairwire
