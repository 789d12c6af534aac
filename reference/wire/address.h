// TCP addresses as users write them, dialling and listening.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/floor.h"

namespace fairsync {

struct Address {
  std::string host;
  uint16_t port = 0;
};

/// HOST:PORT, 1.2.3.4:PORT, [IPv6]:PORT. nullopt for anything else.
std::optional<Address> parse_address(std::string_view text);

/// A connected socket. Each address of the host is tried in turn for its share of `within`.
/// Throws SystemError of the last one, ProtocolError when the name is not known.
FileDescriptor dial(const Address& address, std::chrono::milliseconds within);

/// A listening socket on one address, or on all of them (IPv4 and IPv6) when `host` is empty.
FileDescriptor listen_on(const std::string& host, uint16_t port);

uint16_t port_of(const FileDescriptor& socket);

}  // namespace fairsync
