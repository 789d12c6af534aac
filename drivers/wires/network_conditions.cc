#include "drivers/wires/network_conditions.h"

#include <fcntl.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/file_descriptor.h"
#include "drivers/wires/network_namespace.h"

namespace fairwire {
namespace {

constexpr const char* kFolder = "/proc/sys/net/ipv4/";
constexpr int64_t kTunedMaximum = int64_t{128} << 20;

std::string read_line(const std::string& path) {
  std::string text = read_file(path, 4096);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// "minimum default maximum": only the last is changed, and never lowered.
void raise_maximum(const std::string& path) {
  std::istringstream words(read_line(path));
  int64_t minimum = 0, standard = 0, maximum = 0;
  words >> minimum >> standard >> maximum;
  maximum = std::max(maximum, kTunedMaximum);
  open_file(path, O_WRONLY)
      .write_all(std::to_string(minimum) + ' ' + std::to_string(standard) + ' ' +
                 std::to_string(maximum) + '\n');
}

}  // namespace

void apply_buffers(const NetworkConditions& conditions, pid_t pid) {
  if (conditions.buffers != Buffers::tuned) return;
  in_network_of(pid, [] {
    for (const char* name : {"tcp_rmem", "tcp_wmem"}) raise_maximum(std::string(kFolder) + name);
  });
}

std::string route_attributes(const NetworkConditions& conditions) {
  const std::string& name = conditions.congestion_control;
  if (name.empty()) return "";
  const bool word = name.size() < 16 && std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                    });
  if (!word) throw std::invalid_argument("no name of a congestion control: " + name);
  return std::string(" congctl ") + (conditions.locked ? "lock " : "") + name;
}

Json namespace_conditions() {
  Json conditions = Json::object();
  for (const std::string name : {"tcp_congestion_control", "tcp_rmem", "tcp_wmem"}) {
    conditions.set(name, read_line(kFolder + name));
  }
  return conditions;
}

Json to_json(const NetworkConditions& conditions) {
  const std::string& name = conditions.congestion_control;
  return Json::object({{"buffers", conditions.buffers == Buffers::tuned ? "tuned" : "default"},
                       {"congestion_control", name.empty() ? Json() : Json(name)},
                       {"locked", conditions.locked}});
}

}  // namespace fairwire
