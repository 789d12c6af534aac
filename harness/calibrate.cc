#include "harness/calibrate.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "harness/exit_code.h"

namespace fairwire {
namespace {

constexpr int kAttempts = 3;
constexpr int64_t kMaximumReading = 1 << 16;
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr Nanoseconds kReadyWithin = std::chrono::seconds(10);
constexpr Nanoseconds kProbeDeadline = std::chrono::seconds(150);  // 10 000 echoes at 10 ms
constexpr int64_t kSurelyCarried = 100'000'000;  // bytes/s; up to there the reading itself tells
constexpr Nanoseconds kCeilingTime = std::chrono::milliseconds(500);
constexpr Nanoseconds kGrace = std::chrono::seconds(2);

// Stops what it started, whatever happens between.
class Server {
 public:
  Server(Machine& machine, const std::string& name, std::vector<std::string> argv)
      : machine_(machine) {
    ExecSpec spec;
    spec.name = name;
    spec.argv = std::move(argv);
    handle_ = machine_.start(spec);
  }
  ~Server() {
    try {
      machine_.stop(handle_, kGrace);
    } catch (const std::exception&) {
      // The machine is gone, and with it the server; the probe has failed already.
    }
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  Machine& machine_;
  int handle_ = 0;
};

class AgentProbes final : public CalibrationProbes {
 public:
  explicit AgentProbes(const Stage& stage) : stage_(stage) {}

  EchoReading echo(const std::string& from, const std::string& to, int number) override {
    Machine& server = stage_.machine(to);
    const std::string port = std::to_string(server.free_port());
    const Server running(server, "echo-serve",
                         {server.info().self, "echo", "serve", "--port", port});
    const Json json = probe(from, "echo",
                            {"echo", "probe", "--to", stage_.address(to), "--port", port,
                             "--number", std::to_string(number)});
    return echo_reading_from(JsonView(json, "echo"));
  }

  int64_t goodput(const std::string& from, const std::string& to, int streams,
                  Nanoseconds duration) override {
    Machine& server = stage_.machine(from);
    const int port = server.free_port();
    const Server running(server, "pipe-serve",
                         {server.info().self, "pipe", "serve", "--port", std::to_string(port)});
    if (!server.wait_for_tcp(stage_.own_address(from), port, kReadyWithin)) {
      throw ProtocolError("the pipe on " + from + " was not ready in time");
    }
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    const Json json =
        probe(to, "pipe",
              {"pipe", "fetch", "--from", stage_.address(from), "--port", std::to_string(port),
               "--streams", std::to_string(streams), "--bytes", std::to_string(kMostBytes), "--ms",
               std::to_string(ms), "--ramp-ms", std::to_string(ms / 2), "--rate-only"});
    return JsonView(json, "pipe").at("steady_bytes_per_second").as_int(1);
  }

  HostReading host(const std::string& name) override {
    const std::string folder = stage_.machine(name).info().work;
    const Json json = probe(name, "host", {"host-probe", "--folder", folder});
    return host_reading_from(JsonView(json, "host"));
  }

 private:
  // Runs one of our own probes there and brings its reading home.
  Json probe(const std::string& on, const std::string& name, std::vector<std::string> arguments) {
    Machine& machine = stage_.machine(on);
    const std::string out = machine.info().work + "/" + name + ".json";
    machine.remove(out);
    ExecSpec spec;
    spec.name = name + "-probe";
    spec.argv = {machine.info().self};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.argv.insert(spec.argv.end(), {"--out", out});
    spec.deadline = kProbeDeadline;
    const auto report = machine.wait(machine.start(spec), kProbeDeadline + kGrace);
    const auto text = machine.get(out, kMaximumReading);
    if (!report || !text) {
      const auto words = machine.get(machine.info().work + "/logs/" + spec.name + ".err", 1000);
      throw ProtocolError("the " + name + " probe on " + on + " brought no reading: " +
                          escape_name(words.value_or("it did not end in time")));
    }
    return Json::parse(*text, name + " probe on " + on);
  }

  const Stage& stage_;
};

int64_t smaller_limit(std::initializer_list<int64_t> limits) {
  int64_t smallest = 0;
  for (const int64_t limit : limits) {
    if (limit > 0 && (smallest == 0 || limit < smallest)) smallest = limit;
  }
  return smallest;
}

// Refuses a rate that this host cannot carry, before a reading makes a riddle of it.
void check_ceiling(Testbed& testbed, const WirePair& pair, const DeclaredWire& declared) {
  const int64_t wanted = std::max(declared.forth, declared.back);
  if (wanted < kSurelyCarried) return;
  NetworkConditions conditions;
  conditions.buffers = Buffers::tuned;
  conditions.ceiling = true;
  const Stage stage = testbed.set(pair.wire, {pair.one, pair.other}, conditions);
  AgentProbes probes(stage);
  int64_t most = 0;
  for (const int streams : {1, 4}) {
    most = std::max(most, probes.goodput(pair.one, pair.other, streams, kCeilingTime));
  }
  if (most >= wanted) return;
  const auto gigabits = [](int64_t bytes) { return static_cast<double>(bytes) * 8e-9; };
  throw UnfitError(fmt::format(
      "{:.2f} Gbit/s of payload are declared between {} and {}, and this host carries {:.2f} there "
      "without any limit; declare less, or use an open wire",
      gigabits(wanted), pair.one, pair.other, gigabits(most)));
}

bool declares_something(const WireSpec& wire) {
  return wire.kind == "tun";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace

std::vector<WirePair> wire_pairs(const Plan& plan) {
  std::vector<WirePair> pairs;
  for (const CaseSpec& spec : plan.cases) {
    for (const std::string& reader : spec.readers) {
      WirePair pair{spec.wire, spec.writer, reader};
      if (reader == spec.writer || std::ranges::find(pairs, pair) != pairs.end()) continue;
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

DeclaredWire declared_wire(const WireSpec& wire, const std::string& one, const std::string& other) {
  const PathSpec forth = wire.path_between(one, other);
  const PathSpec back = wire.path_between(other, one);
  const AccessSpec at_one = wire.access_of(one);
  const AccessSpec at_other = wire.access_of(other);
  DeclaredWire declared;
  declared.round_trip = forth.delay + back.delay;
  declared.jitter = forth.jitter + back.jitter;
  declared.loss =
      1 - (1 - mean_loss(forth.loss, forth.burst)) * (1 - mean_loss(back.loss, back.burst));
  declared.forth = goodput_of(smaller_limit(
      {at_one.up.bits_per_second, forth.bits_per_second, at_other.down.bits_per_second}));
  declared.back = goodput_of(smaller_limit(
      {at_other.up.bits_per_second, back.bits_per_second, at_one.down.bits_per_second}));
  return declared;
}

std::vector<std::string> machines_to_probe(const TestbedSpec& testbed,
                                           const std::vector<WirePair>& pairs) {
  std::vector<std::string> names;
  bool have_this_host = false;
  for (const WirePair& pair : pairs) {
    for (const std::string& name : {pair.one, pair.other}) {
      if (std::ranges::find(names, name) != names.end()) continue;
      const MachineSpec* spec = testbed.machine(name);
      const bool here = spec->kind == "netns" || spec->kind == "local";
      if (here && have_this_host) continue;
      have_this_host = have_this_host || here;
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> calibrate_pair(Testbed& testbed, const WirePair& pair,
                                        const std::vector<std::string>& hosts,
                                        const std::function<void(CalibrationRecord)>& record) {
  const WireSpec& wire = *testbed.spec().wire(pair.wire);
  const DeclaredWire declared = declared_wire(wire, pair.one, pair.other);
  CalibrationBounds bounds;
  bounds.round_trip = wire.round_trip_bound;
  bounds.goodput = wire.goodput_bound;
  CalibrationPlan plan;
  plan.one = pair.one;
  plan.other = pair.other;
  plan.duration = probe_duration(declared.round_trip);
  plan.hosts = hosts;
  std::vector<std::string> out;
  check_ceiling(testbed, pair, declared);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    NetworkConditions conditions;
    if (wire.kind != "real") conditions.buffers = Buffers::tuned;
    conditions.routers_open = true;
    const Stage stage = testbed.set(pair.wire, {pair.one, pair.other}, conditions);
    AgentProbes probes(stage);
    const CalibrationReading reading = calibrate(probes, plan);
    if (declares_something(wire)) out = figures_out(reading, declared, bounds);
    CalibrationRecord made;
    made.wire = pair.wire;
    made.status = !declares_something(wire) ? "no bounds"
                  : out.empty()             ? "within bounds"
                                            : "out of bounds";
    made.reason = joined(out);
    made.reading = to_json(reading, std::max(declared.forth, declared.back));
    record(std::move(made));
    if (out.empty()) break;
    plan.hosts.clear();
  }
  return out;
}

}  // namespace fairwire
