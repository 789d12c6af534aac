// Measures the emulated wire against its own theory, by hand:
//   measure_wire AGENT RATE_MBIT RTT_MS ALGORITHM SECONDS RUNS
// AGENT is a binary with the verb forward (agent_for_tests). One line of JSON a run: idle round
// trip, goodput of one stream in the second half of the time (the median of twenty parts of it),
// and the wire's own report.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "base/error.h"
#include "drivers/calibration_probes.h"
#include "drivers/controls.h"
#include "drivers/sweep.h"
#include "drivers/wires/bare_network.h"
#include "drivers/wires/network_namespace.h"
#include "drivers/wires/tun_wire.h"

namespace fairwire {
namespace {

struct Plan {
  std::string agent;
  int64_t bits_per_second = 0;
  Nanoseconds round_trip{};
  std::string algorithm;
  Nanoseconds duration{};
  int runs = 5;
};

pid_t serve(BareNetwork& network, void (*program)(int), int port) {
  pid_t pid = -1;
  network.run([&] {
    pid = ::fork();
    if (pid == 0) program(port);
  });
  return pid;
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TunWireOptions wire_options(const Plan& plan) {
  TunWireOptions options;
  options.self_binary = plan.agent;
  options.token = owner_token();
  options.conditions = {Buffers::tuned, plan.algorithm, false};
  for (const auto& [from, to] : {std::pair("ann", "bob"), std::pair("bob", "ann")}) {
    options.paths.push_back({from, to, plan.round_trip / 2, {}, 0, {}});
  }
  for (const char* machine : {"ann", "bob"}) {
    options.access.push_back(
        {machine, {plan.bits_per_second, 0, {}}, {plan.bits_per_second, 0, {}}});
  }
  return options;
}

void run(const Plan& plan) {
  BareNetwork ann;
  BareNetwork bob;
  const auto wire = make_tun_wire({{"ann", ann.namespace_pid()}, {"bob", bob.namespace_pid()}},
                                  wire_options(plan));
  const pid_t echo = serve(
      bob, [](int port) { serve_echo(port); }, 7002);
  const pid_t pipe = serve(
      bob, [](int port) { serve_pipe(port); }, 7001);
  ::usleep(300'000);
  Json line = Json::object({{"algorithm", plan.algorithm}});
  in_network_of(ann.namespace_pid(), [&] {
    line.set("round_trip",
             to_json(probe_echo({"10.77.0.2", 7002, 100, std::chrono::milliseconds(10)})));
  });
  const int64_t before = *wire->read().lateness.find("cpu_us")->if_int();
  in_network_of(ann.namespace_pid(), [&] {
    PipeRequest request{"10.77.0.2", 7001, 1, int64_t{1} << 44, plan.duration};
    request.ramp = plan.duration / 2;
    request.drains = false;
    const auto goodput = static_cast<double>(fetch_pipe(request).steady_bytes_per_second);
    line.set("mbit_per_second", goodput * 8 / 1e6);
    const auto theory = static_cast<double>(wire->theory_bytes_per_second("bob", "ann"));
    if (theory > 0) line.set("share_of_theory", goodput / theory);
  });
  const WireReading reading = wire->read();
  const auto cpu = static_cast<double>(*reading.lateness.find("cpu_us")->if_int() - before);
  line.set("forwarder_cores", cpu * 1e3 / static_cast<double>(plan.duration.count()));
  line.set("dropped", reading.pairs[1].dropped_packets).set("lateness", reading.lateness);
  std::cout << line.dump() << std::endl;
  end(echo);
  end(pipe);
}

}  // namespace
}  // namespace fairwire

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: measure_wire AGENT RATE_MBIT RTT_MS ALGORITHM SECONDS RUNS\n";
    return 2;
  }
  try {
    const fairwire::Plan plan{argv[1],
                              std::atoll(argv[2]) * 1'000'000,
                              std::chrono::milliseconds(std::atoi(argv[3])),
                              argv[4],
                              std::chrono::seconds(std::atoi(argv[5])),
                              std::atoi(argv[6])};
    for (int i = 0; i < plan.runs; ++i) fairwire::run(plan);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
