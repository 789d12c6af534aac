#include "drivers/controls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/json.h"
#include "drivers/socket_address.h"

namespace fairwire {
namespace {

constexpr size_t kChunk = 256 << 10;
constexpr int kBacklog = 64;

// SHA-256 of 128 MiB of 'f': `head -c 134217728 /dev/zero | tr '\0' f | sha256sum`.
constexpr std::string_view kKernelDigest =
    "72b34f2cfb7935da27be4c9e2d85fc4ddb4f9ae73202e3ea0b6b3b6600b68b43";

FileDescriptor listen_on(int port) {
  FileDescriptor listener = bound_socket(SOCK_STREAM, port);
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

constexpr size_t kParts = 20;
using Parts = std::array<int64_t, kParts>;

// When bytes count for the steady rate (neither the ramp nor what was on its way at the end), in
// equal parts.
struct Window {
  Nanoseconds begin{};
  Nanoseconds end{};

  Nanoseconds part() const { return (end - begin) / static_cast<int64_t>(kParts); }
  std::optional<size_t> part_of(Nanoseconds now) const {
    if (now < begin || part() <= Nanoseconds::zero()) return std::nullopt;
    const auto number = static_cast<size_t>((now - begin) / part());
    return number < kParts ? std::optional(number) : std::nullopt;
  }
};

struct StreamReading {
  int64_t bytes = 0;
  Parts parts{};  // received in each part of the window
  bool agreed = false;
  std::exception_ptr failed = nullptr;
};

// The median over the parts that were over by `end`: while a lost segment is missing the kernel
// hands out nothing, and then all at once, so that a mean would depend on where the window ends.
int64_t steady_rate(Parts parts, const Window& window, Nanoseconds end) {
  const size_t over = window.part_of(end).value_or(end < window.begin ? 0 : kParts);
  if (over == 0 || window.part() <= Nanoseconds::zero()) return 0;
  const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(over / 2);
  std::nth_element(parts.begin(), middle, parts.begin() + static_cast<std::ptrdiff_t>(over));
  const double seconds = std::chrono::duration<double>(window.part()).count();
  return static_cast<int64_t>(static_cast<double>(*middle) / seconds);
}

// The last 8 bytes of everything that was fed.
class Tail {
 public:
  void feed(const char* data, size_t size) {
    const size_t kept = size < bytes_.size() ? bytes_.size() - size : 0;
    std::memmove(bytes_.data(), bytes_.data() + bytes_.size() - kept, kept);
    std::memcpy(bytes_.data() + kept, data + size - (bytes_.size() - kept), bytes_.size() - kept);
  }
  uint64_t number() const {
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

 private:
  std::array<char, 8> bytes_{};
};

// Receives one stream to its end; the last 8 bytes say how many came before them.
StreamReading fetch_stream(const SocketAddress& address, const std::string& place, uint64_t wanted,
                           const Window& window, bool drains) {
  const FileDescriptor socket(
      check_system(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  check_system(::connect(socket.get(), address.generic(), address.size), "connect to", place);
  if (!send_whole(socket.get(), &wanted, sizeof wanted)) throw_system_error("send");
  std::vector<char> buffer(kChunk);
  Tail tail;
  StreamReading reading;
  uint64_t received = 0;
  bool stopped = false;
  while (true) {
    const ssize_t count = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("receive");
    if (count == 0) break;
    tail.feed(buffer.data(), static_cast<size_t>(count));
    received += static_cast<uint64_t>(count);
    const Nanoseconds now = monotonic_now();
    if (const auto part = window.part_of(now)) reading.parts[*part] += count;
    if (now > window.end && !drains) return reading;
    if (!stopped && now > window.end) {
      ::shutdown(socket.get(), SHUT_WR);
      stopped = true;
    }
  }
  constexpr uint64_t kNumber = 8;
  reading.bytes = received < kNumber ? 0 : static_cast<int64_t>(received - kNumber);
  reading.agreed = received >= kNumber && tail.number() == received - kNumber;
  return reading;
}

}  // namespace

void write_reading(const ControlReading& reading, const std::string& path) {
  const Json json = Json::object({{"bytes", reading.bytes},
                                  {"elapsed_ns", reading.elapsed.count()},
                                  {"steady_bytes_per_second", reading.steady_bytes_per_second},
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
  const std::string place = request.host + " port " + std::to_string(request.port);
  const Nanoseconds start = monotonic_now();
  const Window window{start + request.ramp, start + request.at_most};
  const auto streams = static_cast<size_t>(request.streams);
  std::vector<StreamReading> readings(streams);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < streams; ++i) {
      threads.emplace_back([&, i] {
        try {
          readings[i] = fetch_stream(address, place, static_cast<uint64_t>(request.bytes) / streams,
                                     window, request.drains);
        } catch (const SystemError&) {
          readings[i].agreed = false;  // said in the reading; the other streams go on
          readings[i].failed = std::current_exception();
        }
      });
    }
  }
  const auto failed = [](const StreamReading& reading) {
    return reading.failed != nullptr && reading.bytes == 0;
  };
  if (std::ranges::all_of(readings, failed)) std::rethrow_exception(readings.front().failed);
  const Nanoseconds end = monotonic_now();
  ControlReading total{0, end - start, true, 0};
  Parts parts{};
  for (const StreamReading& reading : readings) {
    total.bytes += reading.bytes;
    for (size_t i = 0; i < kParts; ++i) parts[i] += reading.parts[i];
    total.agreed = total.agreed && reading.agreed;
  }
  total.steady_bytes_per_second = steady_rate(parts, window, end);
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
  return {kHashed + kWritten, elapsed, right, 0};
}

}  // namespace fairwire
