// prepare, serve and stop: what must be there and up before the clock starts, and its end.
#include <algorithm>
#include <csignal>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kStepDeadline = std::chrono::seconds(60);
constexpr Nanoseconds kStopGrace = std::chrono::seconds(2);
constexpr int64_t kSharedFileLimit = 1 << 20;
constexpr int64_t kTailBytes = 4096;

int64_t cpu_us(const MeterReading& reading) {
  return reading.cpu_total_us;
}

}  // namespace

void Trial::prepare() {
  const std::string key = to_hex(sha256(context_.session + std::to_string(planned_.trial)));
  if (spec_->conditions.count_calls && !planned_.control) count_calls();
  for (Seat& seat : seats_) {
    seat.before = seat.machine->meter(true);
    seat.machine->put(seat.base + "/key", key + "\n", 0600);
  }
  for (const ToolSpec* tool : tools_in_order()) {
    for (Seat& seat : seats_) {
      const ToolRole* role = role_of(*tool, seat);
      if (role != nullptr && going_well()) prepare_seat(seat, *tool, *role);
    }
  }
  for (Seat& seat : seats_) {
    const MeterReading after = seat.machine->meter(false);
    if (cpu_us(after) >= 0) seat.prepare_cpu_us = cpu_us(after) - cpu_us(seat.before);
  }
}

void Trial::count_calls() {
  std::string why_not;
  for (const Seat& seat : seats_) {
    const std::string reason = seat.machine->count_calls();
    if (!reason.empty())
      why_not += (why_not.empty() ? "" : "; ") + seat.machine->info().name + ": " + reason;
  }
  if (!why_not.empty()) record_.conditions.set("calls_not_counted", why_not);
}

void Trial::prepare_seat(Seat& seat, const ToolSpec& tool, const ToolRole& role) {
  const Bindings& bindings = seat.bindings.at(tool.name);
  for (const auto& [path, lines] : role.files) {
    std::string text;
    for (const std::string& line : lines) text += expand(line, bindings, tool.file) + "\n";
    seat.machine->put(expand(path, bindings, tool.file), text, 0600);
  }
  if (!run_steps(seat, tool, role.prepare, "prepare")) return;
  share_files(tool, role, seat);
  if (spec_->conditions.index == "warm") run_steps(seat, tool, role.index, "index");
}

bool Trial::run_steps(Seat& seat, const ToolSpec& tool, const std::vector<Step>& steps,
                      const std::string& name) {
  int number = 0;
  for (const Step& step : steps) {
    const auto took = run_step(seat, tool, step, name + std::to_string(++number));
    if (!took) return false;
    seat.prepare_wall_ns += took->count();
  }
  return true;
}

void Trial::share_files(const ToolSpec& tool, const ToolRole& role, Seat& from) {
  for (const std::string& shared : role.shares) {
    const std::string path = expand(shared, from.bindings.at(tool.name), tool.file);
    const auto bytes = from.machine->get(path, kSharedFileLimit);
    if (!bytes) return trouble(Outcome::tool_failed, tool.name + " did not make " + path);
    for (Seat& seat : seats_) {
      if (&seat == &from) continue;
      seat.machine->put(expand(shared, seat.bindings.at(tool.name), tool.file), *bytes, 0600);
    }
  }
}

ExecSpec Trial::exec_spec(Seat& seat, const ToolSpec& tool, const Step& step,
                          const std::string& name) {
  const Bindings& bindings = seat.bindings.at(tool.name);
  ExecSpec exec;
  exec.name = tool.name + "-" + seat.role + "-" + name;
  exec.argv = expand_argv(step.argv, bindings, setting_arguments(tool), tool.file);
  if (const Json* programs = context_.plan.builds.find(variant_.build)) {
    if (const Json* path = programs->find(exec.argv[0])) exec.argv[0] = *path->if_string();
  }
  exec.environment = {{"HOME", bindings.at("home")}};
  for (const auto& [key, value] : step.environment) {
    exec.environment.emplace_back(key, expand(value, bindings, tool.file));
  }
  exec.directory = bindings.at("work");
  if (!step.output.empty()) exec.stdout_path = expand(step.output, bindings, tool.file);
  return exec;
}

std::vector<std::string> Trial::setting_arguments(const ToolSpec& tool) const {
  std::vector<std::string> arguments;
  if (&tool != tool_) return arguments;
  for (const std::string& setting : variant_.settings) {
    const auto& values = tool.settings.at(setting);
    arguments.insert(arguments.end(), values.begin(), values.end());
  }
  return arguments;
}

std::optional<Nanoseconds> Trial::run_step(Seat& seat, const ToolSpec& tool, const Step& step,
                                           const std::string& name) {
  ExecSpec exec = exec_spec(seat, tool, step, name);
  exec.deadline = kStepDeadline;
  const int handle = seat.machine->start(exec);
  const auto report = seat.machine->wait(handle, kStepDeadline + kStopGrace);
  finished_.push_back({&seat, handle, exec.name});
  if (!report) throw ProtocolError(exec.name + " outlived its deadline");
  note_end(*report, seat, exec.name);
  if (!going_well()) return std::nullopt;
  return report->ended - report->started;
}

void Trial::serve() {
  for (const ToolSpec* tool : tools_in_order()) {
    for (Seat& seat : seats_) {
      const ToolRole* role = role_of(*tool, seat);
      if (role != nullptr && role->serve && going_well()) serve_seat(seat, *tool, *role);
    }
  }
}

void Trial::serve_seat(Seat& seat, const ToolSpec& tool, const ToolRole& role) {
  const ExecSpec exec = exec_spec(seat, tool, *role.serve, "serve");
  const Running server{&seat, seat.machine->start(exec), exec.name, exec.name, true};
  running_.push_back(server);
  if (role.ready && !is_ready(seat, tool, *role.ready)) {
    const std::string words = last_words(seat, exec.name);
    trouble(Outcome::tool_failed, tool.name + " was not ready within " +
                                      std::to_string(role.ready->within.count() / 1'000'000'000) +
                                      " s" + (words.empty() ? "" : ": " + words));
  }
}

bool Trial::is_ready(Seat& seat, const ToolSpec& tool, const ReadyProbe& ready) {
  const Bindings& bindings = seat.bindings.at(tool.name);
  if (!ready.tcp.empty()) {
    const int port = std::stoi(expand(ready.tcp, bindings, tool.file));
    const std::string own = stage_.own_address(seat.machine->info().name);
    if (!seat.machine->wait_for_tcp(own, port, ready.within)) return false;
  }
  return ready.file.empty() ||
         seat.machine->wait_for_file(expand(ready.file, bindings, tool.file), ready.within);
}

void Trial::stop() {
  for (const ToolSpec* tool : tools_in_order()) {
    for (Seat& seat : seats_) {
      const ToolRole* role = role_of(*tool, seat);
      if (role != nullptr && role->stop && going_well()) run_step(seat, *tool, *role->stop, "stop");
    }
  }
  stop_running();
}

// Last started, first stopped: a service outlives the tool that uses it.
void Trial::stop_running() {
  while (!running_.empty()) {
    const Running running = running_.back();
    running_.pop_back();
    finished_.push_back(running);
    const ExecReport report = running.seat->machine->stop(running.handle, kStopGrace);
    running.seat->largest_rss_bytes =
        std::max(running.seat->largest_rss_bytes, report.largest_rss_bytes);
  }
}

// Where the lines of `list` go, unless the tool writes a file of its own.
std::string Trial::listing_path(const Seat& seat) const {
  const ToolRole* role = role_of(*tool_, seat);
  const Trigger* trigger = role == nullptr ? nullptr : role->trigger("list");
  if (trigger != nullptr && !trigger->step.output.empty()) {
    return expand(trigger->step.output, seat.bindings.at(tool_->name), tool_->file);
  }
  return seat.base + "/listing";
}

std::string Trial::last_words(Seat& seat, const std::string& name) {
  for (const char* ending : {".err", ".out"}) {
    auto text = seat.machine->get(seat.machine->info().work + "/logs/" + name + ending, kTailBytes);
    if (!text) continue;
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
    if (text->empty()) continue;
    const size_t line = text->rfind('\n');
    return escape_name(line == std::string::npos ? *text : text->substr(line + 1));
  }
  return {};
}

// What a program's end means for the trial, in words.
void Trial::note_end(const ExecReport& report, Seat& seat, const std::string& name) {
  seat.largest_rss_bytes = std::max(seat.largest_rss_bytes, report.largest_rss_bytes);
  if (report.end == ExecEnd::exited && report.exit_code == 0) return;
  const std::string words = last_words(seat, name);
  const std::string tail = words.empty() ? "" : ": " + words;
  switch (report.end) {
    case ExecEnd::exited:
      return trouble(Outcome::tool_failed,
                     name + " ended with exit code " + std::to_string(report.exit_code) + tail);
    case ExecEnd::signalled:
    case ExecEnd::stopped:
      return trouble(Outcome::tool_failed,
                     name + " was ended by signal " + std::to_string(report.signal) + tail);
    case ExecEnd::deadline:
      return trouble(Outcome::timed_out, name + " was still running at its deadline" + tail);
    case ExecEnd::stalled:
      return trouble(Outcome::timed_out,
                     name + " made no progress: no wire bytes, no disk bytes, no CPU" + tail);
    case ExecEnd::not_started:
      return trouble(Outcome::tool_failed,
                     name + " could not be started: " + report.why_not_started);
  }
}

}  // namespace fairwire
