#include "drivers/wires/forwarder.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>

#include "base/error.h"
#include "drivers/interrupt.h"
#include "drivers/quiet_write.h"
#include "drivers/wires/haste.h"
#include "drivers/wires/lateness.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_device.h"
#include "drivers/wires/wire_address.h"

namespace fairwire {
namespace {

constexpr int kReadsAtOnce = 32;       // of one device, before the others and what is due
constexpr size_t kKeptWhole = 8192;    // larger packets keep the buffer they were read into
constexpr size_t kMostRequest = 4096;  // bytes of a line from the owner
constexpr int64_t kMostRate = int64_t{1} << 42;  // bits/s
constexpr int64_t kMostDelayNs = int64_t{3600} * 1'000'000'000;
// Each sleep costs a timer and a context switch. While it is busy, a wake-up waits this much longer
// for company, as the interrupt moderation of a network card does; an idle wire is not touched.
constexpr Nanoseconds kModeration = std::chrono::microseconds(50);
constexpr Nanoseconds kBusy = std::chrono::milliseconds(1);  // since the last sleep began

class Forwarder {
 public:
  Forwarder(const ForwarderOptions& options, int input, int output)
      : emulator_(options.model),
        lateness_(options.late_bound),
        gateway_(options.gateway),
        input_(input),
        output_(output) {
    for (size_t i = 0; i < options.namespaces.size(); ++i) {
      in_network_of(options.namespaces[i],
                    [&] { devices_.push_back(open_tun(wire_device(options.number))); });
      add_addresses(static_cast<int>(i), options.number);
    }
  }

  Json greeting(bool real_time, bool awake) const {
    bool all = true;
    for (const TunDevice& device : devices_) all = all && device.udp_segmentation;
    return Json::object({{"ready", true},
                         {"priority", real_time ? "fifo" : "normal"},
                         {"idle", awake ? "awake" : "as host"},
                         {"udp_segmentation", all}});
  }

  void serve() {
    std::vector<pollfd> watched;
    for (const TunDevice& device : devices_) watched.push_back({device.file.get(), POLLIN, 0});
    watched.push_back({input_, POLLIN, 0});
    while (!interrupted()) {
      deliver(monotonic_now());
      wait(watched);
      for (size_t i = 0; i < devices_.size(); ++i) {
        if (watched[i].revents != 0) take_from(static_cast<int>(i));
      }
      if (watched.back().revents != 0 && !answer()) return;
    }
  }

  void say(const Json& line) const {
    std::string text = line.dump() + "\n";
    std::string_view left = text;
    while (!left.empty()) {
      const ssize_t count = quiet_write(output_, left);
      if (count < 0) throw_system_error("answer the wire's owner");
      left.remove_prefix(static_cast<size_t>(count));
    }
  }

 private:
  void add_addresses(int machine, int wire) {
    const auto number = static_cast<size_t>(machine);
    in_addr v4{};
    ::inet_pton(AF_INET, wire_ipv4(number, wire).c_str(), &v4);
    uint8_t octets[4];
    std::memcpy(octets, &v4, sizeof octets);
    table_[ipv4_address(octets[0], octets[1], octets[2], octets[3])] = machine;
    IpAddress v6{};
    ::inet_pton(AF_INET6, wire_ipv6(number, wire).c_str(), v6.data());
    table_[v6] = machine;
  }

  // The deadline is absolute; only what is left of it is handed to the kernel.
  void wait(std::vector<pollfd>& watched) {
    const auto wake = emulator_.next_wake();
    const Nanoseconds now = monotonic_now();
    timespec time{};
    if (wake) {
      const Nanoseconds due = *wake + (now - last_wait_ < kBusy ? kModeration : Nanoseconds());
      const int64_t left = std::max<int64_t>(0, (due - now).count());
      time = {left / 1'000'000'000, left % 1'000'000'000};
    }
    last_wait_ = now;
    for (pollfd& entry : watched) entry.revents = 0;
    if (::ppoll(watched.data(), watched.size(), wake ? &time : nullptr, nullptr) < 0) {
      if (errno != EINTR) throw_system_error("poll");
      for (pollfd& entry : watched) entry.revents = 0;
    }
  }

  void deliver(Nanoseconds now) {
    while (auto due = emulator_.take_due(now)) {
      now = monotonic_now();
      lateness_.add(now - due->due, due->chunk.count);
      cut_chunk(*due->chunk.packet, due->chunk.first, due->chunk.count, cut_);
      const auto to = static_cast<size_t>(due->chunk.to);
      if (!write_packet(devices_[to].file, cut_)) emulator_.could_not_write(due->chunk);
    }
  }

  void take_from(int machine) {
    const FileDescriptor& device = devices_[static_cast<size_t>(machine)].file;
    for (int i = 0; i < kReadsAtOnce; ++i) {
      if (!spare_) spare_ = std::make_unique_for_overwrite<std::byte[]>(kMostPacketBytes);
      const ssize_t size = ::read(device.get(), spare_.get(), kMostPacketBytes);
      if (size <= 0) return;  // nothing left; a device that fails is silent, and the drops tell
      const Nanoseconds now = monotonic_now();
      take(machine, static_cast<size_t>(size), now);
      const auto wake = emulator_.next_wake();
      if (wake && *wake <= now) deliver(now);
    }
  }

  void take(int from, size_t size, Nanoseconds now) {
    const auto shape = parse_packet({spare_.get(), size});
    if (!shape) {
      ++malformed_;
      return;
    }
    const auto found = table_.find(shape->destination);
    const int to = found == table_.end() ? gateway_ : found->second;
    if (to < 0 || to == from) {
      ++unaddressed_;
      return;
    }
    auto packet = std::make_shared<Packet>();
    packet->size = size;
    packet->shape = *shape;
    if (size > kKeptWhole) {
      packet->storage = std::move(spare_);
    } else {
      packet->storage = std::make_unique_for_overwrite<std::byte[]>(size);
      std::memcpy(packet->storage.get(), spare_.get(), size);
    }
    emulator_.offer(from, to, packet, now);
  }

  // False at the end of the input.
  bool answer() {
    char buffer[1024];
    const ssize_t count = ::read(input_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    request_.append(buffer, static_cast<size_t>(count));
    for (size_t end = request_.find('\n'); end != request_.npos; end = request_.find('\n')) {
      const Json request = Json::parse(request_.substr(0, end), "forward");
      request_.erase(0, end + 1);
      const JsonView view(request, "forward");
      if (view.at("call").as_one_of({"read", "change"}) == "read") {
        say(reading());
      } else {
        change(view);
        say(Json::object({{"changed", true}}));
      }
    }
    if (request_.size() > kMostRequest) throw ProtocolError("a request of more than 4096 bytes");
    return true;
  }

  // What fell due before now is delivered as the wire was.
  void change(const JsonView& request) {
    const Nanoseconds now = monotonic_now();
    deliver(now);
    const auto index = [&](const char* key) {
      return static_cast<int>(request.at(key).as_int(0, emulator_.machines() - 1));
    };
    const std::string what = request.at("what").as_one_of(
        {"link-down", "link-up", "set-rate", "set-delay", "blackhole", "restore", "start-traces"});
    if (what == "start-traces") {
      emulator_.start_traces(now);
    } else if (what == "link-down" || what == "link-up") {
      emulator_.set_link(index("machine"), what == "link-up");
    } else if (what == "set-rate") {
      emulator_.set_rate(index("machine"), request.at("up").as_int(0, kMostRate),
                         request.at("down").as_int(0, kMostRate), now);
    } else if (what == "set-delay") {
      emulator_.set_delay(index("from"), index("to"),
                          Nanoseconds(request.at("delay_ns").as_int(0, kMostDelayNs)));
    } else {
      emulator_.set_blackhole(index("from"), index("to"), what == "blackhole");
    }
  }

  Json reading() const {
    Json pairs = Json::array();
    for (int from = 0; from < emulator_.machines(); ++from) {
      for (int to = 0; to < emulator_.machines(); ++to) {
        if (emulator_.counts(from, to).sent.segments > 0) pairs.push(pair_json(from, to));
      }
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const int64_t seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    return Json::object(
        {{"pairs", pairs},
         {"lateness", lateness_.to_json()},
         {"malformed", malformed_},
         {"unaddressed", unaddressed_},
         {"cpu_us", seconds * 1'000'000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec}});
  }

  Json pair_json(int from, int to) const {
    const PathCounts& counts = emulator_.counts(from, to);
    return Json::object({{"from", from},
                         {"to", to},
                         {"sent_bytes", counts.sent.bytes},
                         {"sent_segments", counts.sent.segments},
                         {"bytes", counts.arrived.bytes},
                         {"segments", counts.arrived.segments},
                         {"up_queue", counts.dropped_up_queue},
                         {"loss", counts.dropped_loss},
                         {"path_queue", counts.dropped_path_queue},
                         {"down_queue", counts.dropped_down_queue},
                         {"write", counts.dropped_write},
                         {"link_down", counts.dropped_link_down},
                         {"blackhole", counts.dropped_blackhole}});
  }

  Emulator emulator_;
  Lateness lateness_;
  int gateway_;
  int input_;
  int output_;
  std::vector<TunDevice> devices_;
  std::map<IpAddress, int> table_;
  std::unique_ptr<std::byte[]> spare_;
  CutChunk cut_;
  std::string request_;
  Nanoseconds last_wait_{};
  int64_t malformed_ = 0;
  int64_t unaddressed_ = 0;
};

}  // namespace

int run_forwarder(const Json& options, int input, int output) {
  catch_interrupts();
  std::unique_ptr<Forwarder> forwarder;
  Haste haste;
  try {
    forwarder = std::make_unique<Forwarder>(forwarder_options_from(options), input, output);
    haste = hurry();
    forwarder->say(forwarder->greeting(haste.real_time, haste.awake.is_open()));
  } catch (const std::exception& error) {
    const std::string line = Json::object({{"failed", escape_name(error.what())}}).dump() + "\n";
    quiet_write(output, line);
    return 1;
  }
  forwarder->serve();
  return 0;
}

}  // namespace fairwire
