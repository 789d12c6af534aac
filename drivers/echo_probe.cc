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
#include "drivers/socket_address.h"

namespace fairwire {
namespace {

constexpr int kMostDatagrams = 10'000;
constexpr size_t kDatagram = 64;
constexpr size_t kMostBytes = 1472;
constexpr Nanoseconds kPatience = std::chrono::seconds(2);
constexpr Nanoseconds kGreeting = std::chrono::seconds(5);
constexpr uint32_t kGreetingNumber = 0xffffffff;

class Train {
 public:
  explicit Train(const EchoRequest& request)
      : request_(request), address_(numeric_address(request.host, request.port)) {
    socket_ = FileDescriptor(
        check_system(::socket(address_.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
    check_system(::connect(socket_.get(), address_.generic(), address_.size), "connect to",
                 request.host);
    request_.number = std::clamp(request.number, 1, kMostDatagrams);
    sent_.resize(static_cast<size_t>(request_.number));
    back_.resize(sent_.size());
  }

  EchoReading run() {
    greet();
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
  // The other end may still be starting, and addresses may have to be resolved: neither belongs to
  // a round trip. Answers to greetings that come late have no number of ours.
  void greet() {
    const Nanoseconds until = monotonic_now() + kGreeting;
    while (!heard_ && monotonic_now() < until) {
      send(kGreetingNumber);
      receive_until(std::min(until, monotonic_now() + std::chrono::milliseconds(20)));
    }
  }

  void send(uint32_t number) {
    char datagram[kDatagram] = {};
    std::memcpy(datagram, &number, sizeof number);
    if (number != kGreetingNumber) sent_[number] = monotonic_now();
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
      if (size != sizeof number) continue;
      heard_ = true;
      if (number >= sent_.size() || back_[number]) continue;
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
  bool heard_ = false;
};

}  // namespace

void serve_echo(int port) {
  const FileDescriptor socket = bound_socket(SOCK_DGRAM, port);
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
