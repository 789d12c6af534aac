// Where machines are on a wire of ours, and what their device is called. Wires have numbers: 0, but
// for links inside of links, whose addresses must differ.
#pragma once

#include <cstddef>
#include <string>

namespace fairwire {

constexpr int kMostWireNumber = 255;

/// IPv4 10.77.W.i and IPv6 fd77:0:0:W::i of machine number i - 1 on wire W.
std::string wire_ipv4(size_t machine, int wire = 0);
std::string wire_ipv6(size_t machine, int wire = 0);
/// The whole wire: "10.77.0.0/24", "fd77::/64".
std::string wire_net4(int wire = 0);
std::string wire_net6(int wire = 0);
/// "wire", "wire1" and so on.
std::string wire_device(int wire = 0);

}  // namespace fairwire
