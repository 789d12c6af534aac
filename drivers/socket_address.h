// Numeric addresses and ports as the socket calls want them. Names are never looked up: what a
// probe measures must not hold a resolver's time.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/file_descriptor.h"

namespace fairwire {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

/// IPv4 or IPv6. Throws SystemError (EINVAL) for anything else.
SocketAddress numeric_address(const std::string& host, int port);

/// A socket of `type` (SOCK_STREAM, SOCK_DGRAM) bound to `port` of every address, IPv6 and IPv4
/// alike; IPv4 alone where there is no IPv6. Throws SystemError.
FileDescriptor bound_socket(int type, int port);

}  // namespace fairwire
