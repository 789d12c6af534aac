// Measures a wire with many ends, by hand:
//   measure_swarm AGENT cities|sixteen SECONDS
// AGENT is a binary with the verb forward. cities: Paris, Amsterdam, Warsaw at 100 Mbit/s, six
// streams of 20 Mbit/s, the three round trips meanwhile. sixteen: 50 Mbit/s each, 20 ms, all 240
// pairs at full speed, the share of theory that each machine receives. One line of JSON.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <iostream>

#include "drivers/calibration_probes.h"
#include "drivers/sweep.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_wire.h"
#include "tests/drivers/swarm_load.h"

namespace fairwire {
namespace {

using Networks = std::vector<std::unique_ptr<BareNetwork>>;

std::unique_ptr<Wire> lay(const Networks& networks, const std::string& agent, int64_t rate,
                          bool cities) {
  TunWireOptions options;
  options.self_binary = agent;
  options.token = owner_token();
  options.conditions = {Buffers::tuned, "cubic", false};
  std::vector<WireEnd> ends;
  for (size_t i = 0; i < networks.size(); ++i) {
    ends.push_back({"m" + std::to_string(i), networks[i]->namespace_pid()});
    options.access.push_back({ends[i].name, {rate, 0, {}}, {rate, 0, {}}});
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    for (size_t j = 0; j < ends.size(); ++j) {
      const double ms = cities ? kCities[i][j] : 20;
      const Nanoseconds delay(static_cast<int64_t>(ms * 5e5));
      if (i != j) options.paths.push_back({ends[i].name, ends[j].name, delay, {}, 0, {}});
    }
  }
  return make_tun_wire(ends, options);
}

EchoReading echo(const BareNetwork& network, size_t to, int number) {
  EchoReading reading;
  in_network_of(network.namespace_pid(), [&] {
    reading = probe_echo(
        {"10.77.0." + std::to_string(to + 1), 7002, number, std::chrono::milliseconds(10)});
  });
  return reading;
}

void run(const std::string& agent, bool cities, int seconds) {
  const int64_t rate = cities ? 100'000'000 : 50'000'000;
  Networks networks;
  for (int i = 0; i < (cities ? 3 : 16); ++i) networks.push_back(std::make_unique<BareNetwork>());
  const auto wire = lay(networks, agent, rate, cities);
  std::vector<pid_t> servers;
  for (const auto& network : networks) {
    network->run([&] {
      servers.push_back(::fork());
      if (servers.back() == 0) serve_echo(7002);
    });
  }
  SwarmLoad load(networks, cities ? 20'000'000 : 0);
  std::vector<std::pair<double, std::future<EchoReading>>> probes;
  for (size_t i = 0; cities && i < 3; ++i) {
    for (size_t j = i + 1; j < 3; ++j) {
      probes.emplace_back(kCities[i][j], std::async(std::launch::async, [&, i, j] {
                            return echo(*networks[i], j, seconds * 90);
                          }));
    }
  }
  const int64_t before = *wire->read().lateness.find("cpu_us")->if_int();
  load.run(std::chrono::seconds(seconds));
  const Json lateness = wire->read().lateness;
  const auto cpu = static_cast<double>(*lateness.find("cpu_us")->if_int() - before);
  Json over = Json::array();
  for (auto& [declared, probe] : probes) {
    const EchoReading reading = probe.get();
    over.push(std::chrono::duration<double, std::milli>(reading.median).count() - declared);
  }
  std::vector<double> shares;
  // Of the cities what their two senders are told to send; else what the link lets through.
  const double theory = cities ? 2 * 20e6 / 8 : static_cast<double>(rate) / 8 * 1448 / 1538;
  for (size_t i = 0; i < networks.size(); ++i) shares.push_back(load.goodput(i) / theory);
  std::ranges::sort(shares);
  int64_t dropped = 0;
  for (const PairCount& pair : wire->read().pairs) dropped += pair.dropped_packets;
  std::cout << Json::object({{"load", cities ? "cities" : "sixteen"},
                             {"round_trip_over_ms", over},
                             {"least_share", shares.front()},
                             {"median_share", shares[shares.size() / 2]},
                             {"forwarder_cores", cpu / 1e6 / seconds},
                             {"dropped", dropped},
                             {"lateness", lateness}})
                   .dump()
            << std::endl;
  for (const pid_t pid : servers) ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace fairwire

int main(int argc, char** argv) {
  const std::string load = argc == 4 ? argv[2] : "";
  if (load != "cities" && load != "sixteen") {
    std::cerr << "usage: measure_swarm AGENT cities|sixteen SECONDS\n";
    return 2;
  }
  try {
    fairwire::run(argv[1], load == "cities", std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
