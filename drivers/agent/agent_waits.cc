#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <sstream>

#include "base/clock.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/agent/agent_files.h"
#include "drivers/agent/agent_messages.h"
#include "drivers/meter/process_table.h"

namespace fairwire {
namespace {

constexpr std::chrono::milliseconds kFirstStep{2};
constexpr std::chrono::milliseconds kLongestStep{20};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses look_up(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const std::string service = std::to_string(port);
  if (::getaddrinfo(host.c_str(), service.c_str(), &hints, &list) != 0) return nullptr;
  return Addresses(list);
}

bool connects(const addrinfo& address, Nanoseconds patience) {
  const FileDescriptor socket(check_system(
      ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS) return false;
  pollfd entry{socket.get(), POLLOUT, 0};
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  if (::poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(ms, 0, 1'000'000'000))) <= 0) {
    return false;
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0;
}

// True once `look` is; it is tried at least once, and is told how much time is left.
template <typename Look>
bool wait_until(Nanoseconds timeout, Look look) {
  const Nanoseconds until = monotonic_now() + timeout;
  Nanoseconds step = kFirstStep;
  while (true) {
    if (look(until - monotonic_now())) return true;
    const Nanoseconds left = until - monotonic_now();
    if (left <= Nanoseconds::zero()) return false;
    SystemClock().sleep(std::min(step, left));
    step = std::min<Nanoseconds>(2 * step, kLongestStep);
  }
}

bool can_listen(int family, const sockaddr* address, socklen_t size) {
  const FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return errno == EAFNOSUPPORT;  // nobody can listen there
  const int one = 1;
  if (family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  }
  return ::bind(socket.get(), address, size) == 0 && ::listen(socket.get(), 1) == 0;
}

bool is_free(int port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(static_cast<uint16_t>(port));
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = four.sin_port;
  return can_listen(AF_INET, reinterpret_cast<sockaddr*>(&four), sizeof four) &&
         (can_listen(AF_INET6, reinterpret_cast<sockaddr*>(&six), sizeof six) ||
          errno == EADDRNOTAVAIL);
}

}  // namespace

Json wait_for_tcp_call(const JsonView& call) {
  call.allow_only({"id", "call", "host", "port", "timeout_ns"});
  const std::string host = bytes_of(call.at("host"));
  const int port = static_cast<int>(call.at("port").as_int(1, 65535));
  const Addresses addresses = look_up(host, port);
  return wait_until(duration_from(call.at("timeout_ns")), [&](Nanoseconds left) {
    for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
      if (connects(*one, std::max<Nanoseconds>(left, std::chrono::milliseconds(1)))) return true;
    }
    return false;
  });
}

Json wait_for_file_call(const JsonView& call) {
  call.allow_only({"id", "call", "path", "timeout_ns"});
  const std::string path = path_from(call.at("path"));
  return wait_until(duration_from(call.at("timeout_ns")),
                    [&](Nanoseconds) { return ::access(path.c_str(), F_OK) == 0; });
}

int find_free_port(std::set<int>& given) {
  // Below the ports that the kernel gives to outgoing connections: one of those could take it
  // before the program listens.
  int first_outgoing = 32768;
  std::istringstream(read_small_file("/proc/sys/net/ipv4/ip_local_port_range").value_or("")) >>
      first_outgoing;
  const int end = first_outgoing > 21000 ? std::min(first_outgoing, 32000) : 32000;
  constexpr int kFirst = 20000;
  const int count = end - kFirst;
  // Agents of one host begin at different places.
  const int begin = static_cast<int>(::getpid() % count * int64_t{101} % count);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) {
      const int port = kFirst + (begin + i) % count;
      if (given.contains(port) || !is_free(port)) continue;
      given.insert(port);
      return port;
    }
    given.clear();
  }
  throw SystemError("find a free port", "", EADDRINUSE);
}

}  // namespace fairwire
