#include "reference/wire/address.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <memory>

namespace fairsync {
namespace {

constexpr int kBacklog = 128;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses look_up(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.empty() ? nullptr : host.c_str(),
                                  std::to_string(port).c_str(), &hints, &list);
  if (error != 0) throw ProtocolError("look up " + host + ": " + ::gai_strerror(error));
  return Addresses(list);
}

FileDescriptor socket_for(const addrinfo& address, int flags) {
  return FileDescriptor(check_system(
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | flags, 0), "make a socket"));
}

// 0, or the errno of the attempt.
int connect_within(int fd, const addrinfo& address, int wait_ms) {
  if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wanted{fd, POLLOUT, 0};
  const int count = ::poll(&wanted, 1, wait_ms);
  if (count == 0) return ETIMEDOUT;
  if (count < 0) return errno;
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

FileDescriptor listen_at(const addrinfo& address) {
  FileDescriptor socket = socket_for(address, 0);
  const int on = 1;
  const int off = 0;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.ai_family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  check_system(::bind(socket.get(), address.ai_addr, address.ai_addrlen), "bind");
  check_system(::listen(socket.get(), kBacklog), "listen");
  return socket;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Address address;
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || address.port == 0) {
    return std::nullopt;
  }
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || (!bracketed && host.find(':') != std::string_view::npos)) return std::nullopt;
  address.host = host;
  return address;
}

FileDescriptor dial(const Address& address, std::chrono::milliseconds within) {
  const Addresses list = look_up(address.host, address.port, 0);
  int number = 0;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) ++number;
  int error = EHOSTUNREACH;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    FileDescriptor socket = socket_for(*one, SOCK_NONBLOCK);
    error = connect_within(socket.get(), *one, static_cast<int>(within.count()) / number);
    if (error == 0) return socket;
  }
  throw SystemError("connect to", address.host + ":" + std::to_string(address.port), error);
}

FileDescriptor listen_on(const std::string& host, uint16_t port) {
  if (host.empty()) {
    try {
      return listen_at(*look_up("::", port, AI_PASSIVE));
    } catch (const SystemError& error) {
      if (error.error_number != EAFNOSUPPORT && error.error_number != EADDRNOTAVAIL) throw;
      return listen_at(*look_up("0.0.0.0", port, AI_PASSIVE));  // a host without IPv6
    }
  }
  return listen_at(*look_up(host, port, AI_PASSIVE));
}

uint16_t port_of(const FileDescriptor& socket) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  check_system(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&storage), &length),
               "ask for the port");
  // The port stands at the same place in sockaddr_in and sockaddr_in6.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

}  // namespace fairsync
