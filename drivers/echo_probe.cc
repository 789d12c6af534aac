#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/calibration_probes.h"

namespace fairwire {
namespace {

constexpr int kMostDatagrams = 10'000;
constexpr size_t kDatagram = 64;
constexpr size_t kMostBytes = 1472;
constexpr Nanoseconds kPatience = std::chrono::seconds(2);

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress numeric(const std::string& host, int port) {
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
    throw SystemError("send to the address", host, EINVAL);
  }
  return address;
}

FileDescriptor datagram_socket(int family) {
  return FileDescriptor(check_system(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
}

// IPv6 with IPv4 in it, or IPv4 alone where there is no IPv6.
FileDescriptor bound(int port) {
  const int no = 0;
  FileDescriptor socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  SocketAddress address = numeric(socket.is_open() ? "::" : "0.0.0.0", port);
  if (socket.is_open()) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  } else {
    socket = datagram_socket(AF_INET);
  }
  check_system(::bind(socket.get(), address.generic(), address.size), "bind to port",
               std::to_string(port));
  return socket;
}

class Train {
 public:
  explicit Train(const EchoRequest& request)
      : request_(request), address_(numeric(request.host, request.port)) {
    socket_ = datagram_socket(address_.storage.ss_family);
    check_system(::connect(socket_.get(), address_.generic(), address_.size), "connect to",
                 request.host);
    request_.number = std::clamp(request.number, 1, kMostDatagrams);
    sent_.resize(static_cast<size_t>(request_.number));
    back_.resize(sent_.size());
  }

  EchoReading run() {
    const Nanoseconds start = monotonic_now();
    for (size_t i = 0; i < sent_.size(); ++i) {
      receive_until(start + request_.interval * static_cast<int64_t>(i));
      send(static_cast<uint32_t>(i));
    }
    const Nanoseconds until = monotonic_now() + kPatience;
    while (times_.size() < sent_.size() && monotonic_now() < until) {
      receive_until(std::min(until, monotonic_now() + std::chrono::milliseconds(20)));
    }
    return summed_up();
  }

 private:
  void send(uint32_t number) {
    char datagram[kDatagram] = {};
    std::memcpy(datagram, &number, sizeof number);
    sent_[number] = monotonic_now();
    // Refused: nobody listens there (yet). It counts as lost.
    [[maybe_unused]] const ssize_t count = ::send(socket_.get(), datagram, sizeof datagram, 0);
  }

  void receive_until(Nanoseconds deadline) {
    for (Nanoseconds left = deadline - monotonic_now(); left > Nanoseconds::zero();
         left = deadline - monotonic_now()) {
      const timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
      pollfd watched{socket_.get(), POLLIN, 0};
      if (::ppoll(&watched, 1, &time, nullptr) <= 0) continue;
      uint32_t number = 0;
      const ssize_t size = ::recv(socket_.get(), &number, sizeof number, MSG_DONTWAIT);
      if (size != sizeof number || number >= sent_.size() || back_[number]) continue;
      back_[number] = true;
      times_.push_back(monotonic_now() - sent_[number]);
    }
  }

  EchoReading summed_up() {
    EchoReading reading;
    reading.sent = static_cast<int>(sent_.size());
    reading.lost = static_cast<int>(sent_.size() - times_.size());
    if (times_.empty()) return reading;
    std::sort(times_.begin(), times_.end());
    reading.minimum = times_.front();
    reading.median = times_[(times_.size() - 1) / 2];
    reading.p99 = times_[(times_.size() - 1) * 99 / 100];
    return reading;
  }

  EchoRequest request_;
  SocketAddress address_;
  FileDescriptor socket_;
  std::vector<Nanoseconds> sent_;
  std::vector<bool> back_;
  std::vector<Nanoseconds> times_;
};

}  // namespace

void serve_echo(int port) {
  const FileDescriptor socket = bound(port);
  std::vector<char> datagram(kMostBytes);
  while (true) {
    SocketAddress from;
    const ssize_t size =
        ::recvfrom(socket.get(), datagram.data(), datagram.size(), 0, from.generic(), &from.size);
    if (size < 0) continue;  // an error that an earlier answer met
    ::sendto(socket.get(), datagram.data(), static_cast<size_t>(size), 0, from.generic(),
             from.size);
  }
}

EchoReading probe_echo(const EchoRequest& request) {
  return Train(request).run();
}

Json to_json(const EchoReading& reading) {
  const auto us = [](Nanoseconds time) {
    return std::chrono::ceil<std::chrono::microseconds>(time).count();
  };
  return Json::object({{"sent", reading.sent},
                       {"lost", reading.lost},
                       {"minimum_us", us(reading.minimum)},
                       {"median_us", us(reading.median)},
                       {"p99_us", us(reading.p99)}});
}

EchoReading echo_reading_from(const JsonView& view) {
  view.allow_only({"sent", "lost", "minimum_us", "median_us", "p99_us"});
  const auto time = [&](const char* key) {
    return Nanoseconds(std::chrono::microseconds(view.at(key).as_int(0, int64_t{1} << 40)));
  };
  EchoReading reading;
  reading.sent = static_cast<int>(view.at("sent").as_int(0, kMostDatagrams));
  reading.lost = static_cast<int>(view.at("lost").as_int(0, reading.sent));
  reading.minimum = time("minimum_us");
  reading.median = time("median_us");
  reading.p99 = time("p99_us");
  return reading;
}

}  // namespace fairwire
