#include "reference/store/store.h"

#include <stdexcept>

namespace fairsync {
namespace {

constexpr size_t kLongestName = 200;

bool may_stand_in_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

}  // namespace

void check_object_name(const std::string& name) {
  bool good = !name.empty() && name.size() <= kLongestName;
  char before = '/';
  for (const char c : name) {
    good = good && (c == '/' || may_stand_in_a_name(c));
    if (before == '/' && (c == '/' || c == '.')) good = false;
    before = c;
  }
  if (!good || before == '/') throw std::invalid_argument("no name of an object: " + name);
}

}  // namespace fairsync
