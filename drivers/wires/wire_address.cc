#include "drivers/wires/wire_address.h"

#include <fmt/core.h>

namespace fairwire {
namespace {

std::string prefix6(int wire) {
  return wire == 0 ? "fd77::" : fmt::format("fd77:0:0:{:x}::", wire);
}

}  // namespace

std::string wire_ipv4(size_t machine, int wire) {
  return fmt::format("10.77.{}.{}", wire, machine + 1);
}

std::string wire_ipv6(size_t machine, int wire) {
  return prefix6(wire) + fmt::format("{:x}", machine + 1);
}

std::string wire_net4(int wire) {
  return fmt::format("10.77.{}.0/24", wire);
}

std::string wire_net6(int wire) {
  return prefix6(wire) + "/64";
}

std::string wire_device(int wire) {
  return wire == 0 ? "wire" : "wire" + std::to_string(wire);
}

}  // namespace fairwire
