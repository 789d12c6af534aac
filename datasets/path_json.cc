#include "datasets/path_json.h"

#include <algorithm>

#include "datasets/path.h"

namespace fairwire {
namespace {

constexpr int64_t kMaximumLevels = 2'048;

}  // namespace

std::string name_bytes_of(const JsonView& view) {
  auto bytes = unescape_name(view.as_string());
  if (!bytes) {
    view.fail(
        "is not in the escape of names: \"\\\\\" for a backslash, \"\\xNN\" for each byte "
        "that is not printable UTF-8, nothing else (in JSON each backslash doubled)");
  }
  if (bytes->find('\0') != std::string::npos) view.fail("holds a NUL byte");
  return *std::move(bytes);
}

std::string path_of(const JsonView& view) {
  std::string path = name_bytes_of(view);
  if (const std::string fault = path_fault(path); !fault.empty()) view.fail(fault);
  return path;
}

std::string recipe_path_of(const JsonView& view) {
  std::string path = path_of(view);
  if (std::count(path.begin(), path.end(), '/') >= kMaximumLevels) {
    view.fail("has more than 2048 parts");
  }
  return path;
}

std::string plain_name_of(const JsonView& view) {
  std::string name = view.as_string();
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  bool good = !name.empty() && name.size() <= 64;
  for (const char c : name) good = good && plain(c);
  if (!good) view.fail("must be 1 to 64 letters, digits, \".\", \"_\" or \"-\"");
  return name;
}

}  // namespace fairwire
