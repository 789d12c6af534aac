// Load for a wire with many ends: one TCP stream for every ordered pair, all in one thread.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/wires/bare_network.h"

namespace fairwire {

class SwarmLoad {
 public:
  /// Networks in the order of the wire's machines, which are at 10.77.0.1 and on. A stream sends at
  /// most `pace` bits/s; 0: as fast as it can.
  SwarmLoad(const std::vector<std::unique_ptr<BareNetwork>>& networks, int64_t pace)
      : received_(networks.size()), poll_(check_system(::epoll_create1(EPOLL_CLOEXEC), "epoll")) {
    for (size_t to = 0; to < networks.size(); ++to) {
      FileDescriptor listener;
      networks[to]->run([&] { listener = listening(); });
      for (size_t from = 0; from < networks.size(); ++from) {
        if (from == to) continue;
        FileDescriptor sender;
        networks[from]->run([&] { sender = connected(to, pace); });
        add(std::move(sender), 0, false);
        add(FileDescriptor(check_system(
                ::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC),
                "accept")),
            to, true);
      }
    }
  }

  /// Sends for so long; counts what arrives in the second half.
  void run(Nanoseconds duration) {
    const Nanoseconds start = monotonic_now();
    const Nanoseconds half = start + duration / 2;
    std::array<epoll_event, 64> events{};
    for (Nanoseconds now = start; now < start + duration; now = monotonic_now()) {
      const int count = ::epoll_wait(poll_.get(), events.data(), events.size(), 10);
      for (int i = 0; i < count; ++i) {
        const End& end = ends_[events[static_cast<size_t>(i)].data.u64];
        const ssize_t moved = end.receives
                                  ? ::read(end.socket.get(), buffer_.data(), buffer_.size())
                                  : ::write(end.socket.get(), buffer_.data(), buffer_.size() / 4);
        if (end.receives && moved > 0 && now >= half) {
          received_[end.machine] += static_cast<double>(moved);
        }
      }
    }
    seconds_ = std::chrono::duration<double>(monotonic_now() - half).count();
  }

  /// Payload that machine number `machine` received, bytes/s.
  double goodput(size_t machine) const { return received_[machine] / seconds_; }

 private:
  struct End {
    FileDescriptor socket;
    size_t machine = 0;
    bool receives = false;
  };

  static sockaddr_in address(size_t machine) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(7100);
    const std::string host = "10.77.0." + std::to_string(machine + 1);
    ::inet_pton(AF_INET, host.c_str(), &result.sin_addr);
    return result;
  }

  static FileDescriptor listening() {
    FileDescriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in own = address(0);
    own.sin_addr.s_addr = INADDR_ANY;
    check_system(::bind(made.get(), reinterpret_cast<sockaddr*>(&own), sizeof own), "bind");
    check_system(::listen(made.get(), 64), "listen");
    return made;
  }

  static FileDescriptor connected(size_t to, int64_t pace) {
    FileDescriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const uint64_t bytes = static_cast<uint64_t>(pace) / 8;
    if (pace > 0) ::setsockopt(made.get(), SOL_SOCKET, SO_MAX_PACING_RATE, &bytes, sizeof bytes);
    const sockaddr_in peer = address(to);
    check_system(::connect(made.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer),
                 "connect");
    check_system(::fcntl(made.get(), F_SETFL, O_NONBLOCK), "fcntl");
    return made;
  }

  void add(FileDescriptor socket, size_t machine, bool receives) {
    epoll_event event{};
    event.events = receives ? EPOLLIN : EPOLLOUT;
    event.data.u64 = ends_.size();
    check_system(::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, socket.get(), &event), "epoll_ctl");
    ends_.push_back({std::move(socket), machine, receives});
  }

  std::vector<double> received_;
  std::vector<End> ends_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(256 << 10);
  double seconds_ = 1;
  FileDescriptor poll_;
};

/// Round trips in ms between Paris, Amsterdam and Warsaw, for every ordered pair: what
/// drivers/testbeds/three-cities.json declares.
constexpr double kCities[3][3] = {{0, 9.4, 33.4}, {9.4, 0, 20.6}, {33.4, 20.6, 0}};

}  // namespace fairwire
