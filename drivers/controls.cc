#include "drivers/controls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/json.h"

namespace fairwire {
namespace {

constexpr size_t kChunk = 256 << 10;
constexpr int kBacklog = 64;

// SHA-256 of 128 MiB of 'f': `head -c 134217728 /dev/zero | tr '\0' f | sha256sum`.
constexpr std::string_view kKernelDigest =
    "72b34f2cfb7935da27be4c9e2d85fc4ddb4f9ae73202e3ea0b6b3b6600b68b43";

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  int family = AF_INET;
};

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
    address.family = AF_INET6;
  } else {
    throw SystemError("connect to the address", host, EINVAL);
  }
  return address;
}

// Listens on every address, IPv6 and IPv4 alike; IPv4 alone where there is no IPv6.
FileDescriptor listen_on(int port) {
  FileDescriptor listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SocketAddress address = numeric_address("::", port);
  if (!listener.is_open()) {
    listener =
        FileDescriptor(check_system(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    address = numeric_address("0.0.0.0", port);
  }
  const int yes = 1;
  const int no = 0;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.family == AF_INET6) {
    ::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  check_system(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address.storage), address.size),
               "bind to port", std::to_string(port));
  check_system(::listen(listener.get(), kBacklog), "listen on port", std::to_string(port));
  return listener;
}

bool wants_no_more(int fd) {
  pollfd poll_fd{fd, POLLIN | POLLRDHUP, 0};
  return ::poll(&poll_fd, 1, 0) > 0;
}

bool send_whole(int fd, const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::send(fd, bytes, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

void serve_client(const FileDescriptor client) {
  uint64_t wanted = 0;
  if (::recv(client.get(), &wanted, sizeof wanted, MSG_WAITALL) != sizeof wanted) return;
  const std::vector<char> pattern(kChunk, 'f');
  uint64_t sent = 0;
  while (sent < wanted && !wants_no_more(client.get())) {
    const size_t size = std::min<uint64_t>(pattern.size(), wanted - sent);
    if (!send_whole(client.get(), pattern.data(), size)) return;
    sent += size;
  }
  if (!send_whole(client.get(), &sent, sizeof sent)) return;
  ::shutdown(client.get(), SHUT_WR);
  char rest[64];
  while (::recv(client.get(), rest, sizeof rest, 0) > 0) continue;
}

// Receives one stream to its end; the last 8 bytes say how many came before them.
ControlReading fetch_stream(const SocketAddress& address, uint64_t wanted, Nanoseconds deadline) {
  const FileDescriptor socket(
      check_system(::socket(address.family, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  check_system(
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size),
      "connect");
  if (!send_whole(socket.get(), &wanted, sizeof wanted)) throw_system_error("send");
  std::vector<char> buffer(kChunk);
  std::array<char, 8> tail{};
  uint64_t received = 0;
  bool stopped = false;
  while (true) {
    const ssize_t count = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("receive");
    if (count == 0) break;
    const auto size = static_cast<size_t>(count);
    const size_t kept = size < tail.size() ? tail.size() - size : 0;
    std::memmove(tail.data(), tail.data() + tail.size() - kept, kept);
    std::memcpy(tail.data() + kept, buffer.data() + size - (tail.size() - kept),
                tail.size() - kept);
    received += size;
    if (!stopped && monotonic_now() > deadline) {
      ::shutdown(socket.get(), SHUT_WR);
      stopped = true;
    }
  }
  uint64_t sent = 0;
  std::memcpy(&sent, tail.data(), sizeof sent);
  ControlReading reading;
  reading.bytes = received < sizeof sent ? 0 : static_cast<int64_t>(received - sizeof sent);
  reading.agreed = received >= sizeof sent && sent == received - sizeof sent;
  return reading;
}

}  // namespace

void write_reading(const ControlReading& reading, const std::string& path) {
  const Json json = Json::object({{"bytes", reading.bytes},
                                  {"elapsed_ns", reading.elapsed.count()},
                                  {"agreed", reading.agreed}});
  write_file(path, json.dump() + "\n");
}

void serve_pipe(int port) {
  const FileDescriptor listener = listen_on(port);
  while (true) {
    FileDescriptor client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.is_open()) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      throw_system_error("accept");
    }
    std::thread(serve_client, std::move(client)).detach();
  }
}

ControlReading fetch_pipe(const PipeRequest& request) {
  const SocketAddress address = numeric_address(request.host, request.port);
  const Nanoseconds start = monotonic_now();
  const Nanoseconds deadline = start + request.at_most;
  const auto streams = static_cast<size_t>(request.streams);
  std::vector<ControlReading> readings(streams);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < streams; ++i) {
      threads.emplace_back([&, i] {
        try {
          readings[i] =
              fetch_stream(address, static_cast<uint64_t>(request.bytes) / streams, deadline);
        } catch (const SystemError&) {
          readings[i].agreed = false;  // said in the reading; the other streams go on
        }
      });
    }
  }
  ControlReading total{0, monotonic_now() - start, true};
  for (const ControlReading& reading : readings) {
    total.bytes += reading.bytes;
    total.agreed = total.agreed && reading.agreed;
  }
  return total;
}

ControlReading run_kernel(const std::string& folder) {
  constexpr int64_t kHashed = 128 << 20;
  constexpr int64_t kWritten = 32 << 20;
  const std::string block(1 << 20, 'f');
  const auto blocks = [&](int64_t bytes) { return bytes / static_cast<int64_t>(block.size()); };
  const Nanoseconds start = monotonic_now();
  Sha256 hash;
  for (int64_t i = 0; i < blocks(kHashed); ++i) hash.update(block);
  const Digest digest = hash.finish();
  const std::string path = folder + "/kernel.data";
  {
    const FileDescriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
    for (int64_t i = 0; i < blocks(kWritten); ++i) file.write_all(block);
    check_system(::fsync(file.get()), "fsync", path);
  }
  const Nanoseconds elapsed = monotonic_now() - start;
  ::unlink(path.c_str());
  const bool right = to_hex(digest) == kKernelDigest;
  return {kHashed + kWritten, elapsed, right};
}

}  // namespace fairwire
