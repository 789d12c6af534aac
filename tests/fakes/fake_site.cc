#include "tests/fakes/fake_site.h"

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "datasets/manifest.h"
#include "drivers/calibration_probes.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kWork = std::chrono::milliseconds(5);

class FakeWire final : public Wire {
 public:
  FakeWire(FakeSite& site, std::vector<std::string> names) : site_(site), names_(std::move(names)) {
    ++site_.wires_alive;
  }
  ~FakeWire() override { --site_.wires_alive; }

  std::vector<std::pair<std::string, std::string>> addresses() const override {
    std::vector<std::pair<std::string, std::string>> list;
    for (const std::string& name : names_) list.emplace_back(name, "10.0.0." + name);
    return list;
  }
  Json conditions() const override { return Json::object({{"kind", "fake"}}); }
  WireReading read() override {
    WireReading reading;
    ++reads_;
    for (const std::string& from : names_) {
      for (const std::string& to : names_) {
        if (from != to) reading.pairs.push_back({from, to, 1000 * reads_, 10 * reads_, 0});
      }
    }
    return reading;
  }
  void change(const WireChange& change) override {
    site_.note("wire " + change.what + " " + change.machine + change.from + ">" + change.to);
  }
  int64_t theory_bytes_per_second(const std::string&, const std::string&) const override {
    return 0;
  }

 private:
  FakeSite& site_;
  std::vector<std::string> names_;
  int64_t reads_ = 0;
};

// `fairwire echo probe`, `fairwire pipe fetch` and `fairwire host-probe`.
Json probe_answer(FakeFigures& figures, const std::vector<std::string>& argv) {
  if (argv.at(1) == "echo") {
    const EchoReading reading{100, 0, figures.round_trip, figures.round_trip, figures.round_trip};
    return to_json(reading);
  }
  if (argv.at(1) == "host-probe") return to_json(HostReading{1, 1, 1, Nanoseconds(1000)});
  int64_t goodput = figures.goodput;
  if (!figures.then.empty()) {
    goodput = figures.then.front();
    figures.then.erase(figures.then.begin());
  }
  return Json::object({{"bytes", goodput},
                       {"elapsed_ns", 1'000'000'000},
                       {"steady_bytes_per_second", goodput},
                       {"agreed", true}});
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

FakeSite::FakeSite() {
  programs["/bin/fairwire"] = [this](FakeMachine& machine, const ExecSpec& exec) {
    const auto out = std::find(exec.argv.begin(), exec.argv.end(), "--out");
    if (out != exec.argv.end()) {
      machine.files()[*(out + 1)] = probe_answer(figures, exec.argv).dump();
    }
    return ends_with(0)(machine, exec);
  };
}

void FakeSite::note(const std::string& line) {
  log.push_back(line);
  if (!throw_at.empty() && line == throw_at) throw ProtocolError("the fake breaks at: " + line);
}

Builders FakeSite::builders() {
  Builders builders;
  builders.machine = [this](const MachineSpec& spec) {
    note(spec.name + " built");
    return std::make_unique<FakeMachine>(*this, spec);
  };
  builders.wire = [this](const WireSpec& spec, const std::vector<Machine*>& ends,
                         const NetworkConditions& wanted) {
    note("wire " + spec.name);
    conditions.push_back(wanted);
    if (!refuse_congestion.empty() && wanted.congestion_control == refuse_congestion) {
      throw ProtocolError("ip: no such congestion control: " + refuse_congestion);
    }
    std::vector<std::string> names;
    for (const Machine* machine : ends) names.push_back(machine->info().name);
    return std::make_unique<FakeWire>(*this, names);
  };
  return builders;
}

FakeMachine::FakeMachine(FakeSite& site, const MachineSpec& spec) : site_(site) {
  info_.name = spec.name;
  info_.kind = spec.kind;
  info_.work = "/work";
  info_.store = "/store";
  info_.self = "/bin/fairwire";
  info_.host = Json::object({{"kernel", "fake"}});
  files_ = site.stores[spec.name];
  site_.machines[spec.name] = this;
}

FakeMachine::~FakeMachine() {
  auto& store = site_.stores[info_.name];
  store.clear();
  for (const auto& [path, bytes] : files_) {
    if (path.starts_with("/store/")) store[path] = bytes;
  }
  site_.machines.erase(info_.name);
}

int FakeMachine::start(const ExecSpec& spec) {
  site_.note(info_.name + " start " + spec.name);
  const auto program = site_.programs.find(spec.argv[0]);
  ExecReport report;
  const Nanoseconds started = site_.clock.now();
  if (program == site_.programs.end()) {
    report.why_not_started = "No such file or directory";
  } else {
    report = program->second(*this, spec);
    site_.clock.sleep(kWork);
  }
  report.started = started;
  report.ended = site_.clock.now();
  reports_.push_back(report);
  names_.push_back(spec.name);
  return static_cast<int>(reports_.size()) - 1;
}

std::optional<ExecReport> FakeMachine::wait(int handle, Nanoseconds) {
  const bool serves = names_.at(static_cast<size_t>(handle)).ends_with("-serve");
  if (serves && site_.servers_go_on) return std::nullopt;
  return reports_.at(static_cast<size_t>(handle));
}

ExecReport FakeMachine::stop(int handle, Nanoseconds) {
  site_.note(info_.name + " stop " + names_.at(static_cast<size_t>(handle)));
  return reports_.at(static_cast<size_t>(handle));
}

void FakeMachine::signal(int handle, int number) {
  site_.note(info_.name + " signal " + std::to_string(number) + " " +
             names_.at(static_cast<size_t>(handle)));
}

MeterReading FakeMachine::meter(bool) {
  MeterReading reading;
  if (site_.meters_run_backwards) reading.voluntary_switches = 1000 - ++site_.meter_reads;
  if (site_.answers) reading.answered = site_.answered += *site_.answers ? 1 : 0;
  reading.at = site_.clock.now();
  reading.cpu_total_us = reading.at.count() / 1000;
  reading.cpu_method = "fake";
  reading.peak_anonymous_bytes = 1 << 20;
  return reading;
}

bool FakeMachine::wait_for_tcp(const std::string& host, int port, Nanoseconds) {
  site_.note(info_.name + " tcp " + host + ":" + std::to_string(port));
  return true;
}

bool FakeMachine::wait_for_file(const std::string& path, Nanoseconds) {
  return files_.contains(path);
}

void FakeMachine::put(const std::string& path, const std::string& bytes, unsigned) {
  files_[path] = bytes;
}

std::optional<std::string> FakeMachine::get(const std::string& path, int64_t) {
  const auto found = files_.find(path);
  if (found == files_.end()) return std::nullopt;
  return found->second;
}

std::string FakeMachine::fetch(const std::string& path, const std::string& local, int64_t) {
  const auto bytes = get(path, 0);
  if (!bytes) return "";
  write_file(local, *bytes);
  return to_hex(sha256(*bytes));
}

void FakeMachine::make_directory(const std::string& path) {
  files_[path + "/"] = "";
}

void FakeMachine::remove(const std::string& path) {
  std::erase_if(files_, [&](const auto& file) {
    return file.first == path || file.first.starts_with(path + "/");
  });
}

TreeSummary FakeMachine::make_dataset(const Json&, uint64_t seed, const std::string& path) {
  site_.note(info_.name + " make " + last_part(path));
  make_directory(path);
  for (const char* name : {"a", "b", "c"}) {
    files_[path + "/" + name] = std::string(100, name[0]) + std::to_string(seed);
  }
  return {3, 3, 303, ""};
}

int64_t FakeMachine::mutate(const Json&, uint64_t, const std::string& path) {
  site_.note(info_.name + " mutate " + last_part(path));
  files_[path + "/a"] += "more";
  return 4;
}

TreeSummary FakeMachine::manifest(const std::string& path, const std::string& out, bool hash) {
  site_.note(info_.name + " manifest " + last_part(path) + (hash ? " hashed" : ""));
  std::ostringstream text;
  ManifestWriter writer(text);
  TreeSummary summary;
  for (const auto& [file, bytes] : files_) {
    if (!file.starts_with(path + "/") || file == path + "/") continue;
    Entry entry;
    entry.path = file.substr(path.size() + 1);
    entry.mode = 0644;
    entry.size = static_cast<int64_t>(bytes.size());
    if (hash) entry.sha256 = sha256(bytes);
    writer.write(entry);
    ++summary.entries;
    ++summary.files;
    summary.bytes += entry.size;
  }
  summary.root = to_hex(writer.root());
  writer.finish();
  files_[out] = text.str();
  summary.digest = to_hex(sha256(text.str()));
  return summary;
}

Nanoseconds FakeMachine::sync(const std::string& path) {
  site_.note(info_.name + " sync " + last_part(path));
  return std::chrono::milliseconds(3);
}

std::string FakeMachine::drop_caches() {
  site_.note(info_.name + " drop caches");
  return {};
}

std::string FakeMachine::count_calls() {
  site_.note(info_.name + " count calls");
  return {};
}

Json FakeMachine::resolve_program(const std::string& name) {
  if (!site_.programs.contains(name) && name != info_.self) return {};
  return Json::object({{"path", "/bin/" + last_part(name)}, {"sha256", std::string(64, '0')}});
}

void FakeMachine::copy_tree(const FakeMachine& source, const std::string& from,
                            const std::string& to) {
  std::map<std::string, std::string> copied;
  for (const auto& [path, bytes] : source.files_) {
    if (path.starts_with(from + "/")) copied[to + path.substr(from.size())] = bytes;
  }
  files_.merge(copied);
}

FakeProgram ends_with(int exit_code) {
  return [exit_code](FakeMachine&, const ExecSpec&) {
    ExecReport report;
    report.end = ExecEnd::exited;
    report.exit_code = exit_code;
    return report;
  };
}

}  // namespace fairwire
