// Many ends on one wire: round trips hold while all pairs transfer, and everybody has the own link.
// Bounds and rates are for shared machines and checked builds; 50 Mbit/s each and narrow bounds are
// measured by `make bench-wire` (docs/wire.md).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <future>

#include "drivers/calibration_probes.h"
#include "drivers/sweep.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_wire.h"
#include "tests/drivers/swarm_load.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SwarmTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "namespaces need root";
    if (::access("/dev/net/tun", R_OK | W_OK) != 0) GTEST_SKIP() << "no /dev/net/tun";
  }
  void TearDown() override {
    for (const pid_t pid : servers_) ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0);
  }

  void lay(size_t count, int64_t bits_per_second, double (*round_trip_ms)(size_t, size_t)) {
    TunWireOptions options;
    options.self_binary = FAIRWIRE_TEST_AGENT;
    options.token = owner_token();
    options.conditions.congestion_control = "cubic";
    std::vector<WireEnd> ends;
    const LinkLimit limit{bits_per_second, 0, {}};
    for (size_t i = 0; i < count; ++i) {
      networks_.push_back(std::make_unique<BareNetwork>());
      ends.push_back({"m" + std::to_string(i), networks_[i]->namespace_pid()});
      options.access.push_back({ends[i].name, limit, limit});
    }
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < count; ++j) {
        const auto delay = Nanoseconds(static_cast<int64_t>(round_trip_ms(i, j) * 5e5));
        if (i != j) options.paths.push_back({ends[i].name, ends[j].name, delay, {}, 0, {}});
      }
    }
    wire_ = make_tun_wire(ends, options);
  }

  void serve_echoes() {
    for (const auto& network : networks_) {
      network->run([&] {
        servers_.push_back(::fork());
        if (servers_.back() == 0) serve_echo(7002);
      });
    }
  }

  EchoReading echo(size_t from, size_t to) {
    EchoReading reading;
    in_network_of(networks_[from]->namespace_pid(), [&] {
      reading = probe_echo({"10.77.0." + std::to_string(to + 1), 7002, 100, milliseconds(10)});
    });
    return reading;
  }

  int64_t late(const char* key) { return *wire_->read().lateness.find(key)->if_int(); }

  std::vector<std::unique_ptr<BareNetwork>> networks_;
  std::unique_ptr<Wire> wire_;
  std::vector<pid_t> servers_;
};

TEST_F(SwarmTest, ThreeCitiesHoldTheirRoundTripsWhileAllPairsTransfer) {
  lay(3, 100'000'000, [](size_t i, size_t j) { return kCities[i][j]; });
  serve_echoes();
  SwarmLoad load(networks_, 10'000'000);
  std::vector<std::future<EchoReading>> probes;
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    probes.push_back(std::async(std::launch::async, [this, from = from, to = to] {
      return echo(static_cast<size_t>(from), static_cast<size_t>(to));
    }));
  }
  load.run(seconds(2));
  const double declared[] = {kCities[0][1], kCities[0][2], kCities[1][2]};
  for (size_t i = 0; i < probes.size(); ++i) {
    const EchoReading reading = probes[i].get();
    const auto wanted = Nanoseconds(static_cast<int64_t>(declared[i] * 1e6));
    EXPECT_EQ(reading.lost, 0);
    EXPECT_GE(reading.minimum, wanted);
    EXPECT_LE(reading.median, wanted + milliseconds(2));
  }
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(load.goodput(i) * 8, 2 * 10e6 * 0.8) << "paced, two streams each";
  }
}

TEST_F(SwarmTest, SixteenMachinesHaveTheirOwnLinksEach) {
  constexpr int64_t kRate = 10'000'000;
  lay(16, kRate, [](size_t, size_t) { return 20.0; });
  SwarmLoad load(networks_, 0);
  load.run(seconds(3));
  for (size_t i = 0; i < networks_.size(); ++i) {
    const double share = load.goodput(i) / (kRate / 8.0 * 1448 / 1538);
    EXPECT_GE(share, 0.7);
    EXPECT_LE(share, 1.02);
  }
  EXPECT_EQ(late("device_drops"), 0);
  EXPECT_EQ(late("failed_writes"), 0);
}

}  // namespace
}  // namespace fairwire
