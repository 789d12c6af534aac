#include "drivers/socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cerrno>

#include "base/error.h"

namespace fairwire {

SocketAddress numeric_address(const std::string& host, int port) {
  SocketAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof *v4;
  } else if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof *v6;
  } else {
    throw SystemError("reach the address", host, EINVAL);
  }
  return address;
}

FileDescriptor bound_socket(int type, int port) {
  FileDescriptor socket(::socket(AF_INET6, type | SOCK_CLOEXEC, 0));
  const bool has_ipv6 = socket.is_open();
  if (!has_ipv6) {
    socket = FileDescriptor(check_system(::socket(AF_INET, type | SOCK_CLOEXEC, 0), "socket"));
  }
  const int yes = 1;
  const int no = 0;
  if (type == SOCK_STREAM) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  if (has_ipv6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  const SocketAddress address = numeric_address(has_ipv6 ? "::" : "0.0.0.0", port);
  check_system(::bind(socket.get(), address.generic(), address.size), "bind to port",
               std::to_string(port));
  return socket;
}

}  // namespace fairwire
