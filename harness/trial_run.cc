// The timed part: ops, alone or together, and the events that happen to them meanwhile.
#include <algorithm>
#include <csignal>
#include <map>

#include "base/error.h"
#include "harness/trial.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kWaitStep = std::chrono::seconds(5);
constexpr Nanoseconds kEventStep = std::chrono::milliseconds(10);
constexpr Nanoseconds kNewsStep = std::chrono::milliseconds(20);
constexpr int kNewsLooks = 15;

const std::map<std::string, int> kSignals = {
    {"stop", SIGTERM}, {"pause", SIGSTOP}, {"resume", SIGCONT}, {"kill", SIGKILL}};

}  // namespace

void Trial::warm_up() {
  scenario_->warm_up(*this);
}

void Trial::run_ops() {
  for (Seat& seat : seats_) seat.before = seat.machine->meter(true);
  if (context_.testbed.spec().wire(spec_->wire)->has_traces()) {
    WireChange start;
    start.what = "start-traces";
    stage_.wire->change(start);
  }
  wire_before_ = stage_.wire->read();
  scenario_->run(*this);
}

void Trial::run_op(const std::string& scenario, Seat& seat) {
  run_together(scenario, {&seat});
}

void Trial::run_together(const std::string& scenario, const std::vector<Seat*>& seats) {
  std::vector<Started> under_way;
  for (Seat* seat : seats) {
    if (!going_well()) break;
    if (auto started = start_op(scenario, *seat)) under_way.push_back(std::move(*started));
  }
  for (const Started& started : under_way) finish_op(started, wait_for(started));
}

void Trial::run_untimed(const std::string& scenario, Seat& seat) {
  if (!going_well()) return;
  const std::vector<CaseEvent> later = std::exchange(events_, {});  // they are for the timed ops
  if (const auto started = start_op(scenario, seat)) {
    note_end(wait_for(*started), seat, started->running.name);
  }
  events_ = later;
}

void Trial::run_until_ended(const std::string& scenario, Seat& seat) {
  if (!going_well()) return;
  if (events_.empty()) {
    CaseEvent half;
    half.what = "kill";
    half.at_bytes = source_->summary.bytes / 2;
    events_.push_back(half);
  }
  const auto started = start_op(scenario, seat);
  if (!started) return;
  const ExecReport report = wait_for(*started);
  if (report.end == ExecEnd::exited && report.exit_code == 0) {
    return trouble(Outcome::harness_error,
                   "it was over before its events could end it; a larger data set is needed");
  }
  events_.clear();
}

std::optional<Trial::Started> Trial::start_op(const std::string& scenario, Seat& seat) {
  const ToolRole* role = role_of(*tool_, seat);
  const Trigger* trigger = role == nullptr ? nullptr : role->trigger(scenario);
  if (trigger == nullptr) {
    trouble(Outcome::unsupported, tool_->name + " has no " + scenario + " for a " + seat.role);
    return std::nullopt;
  }
  ExecSpec exec = exec_spec(seat, *tool_, trigger->step, scenario);
  exec.until = trigger->until;
  if (scenario == "list" && exec.stdout_path.empty()) exec.stdout_path = listing_path(seat);
  const auto same = [&](const Running& other) {
    return other.seat == &seat && other.step == exec.name;
  };
  const std::string step = exec.name;
  const auto before = std::ranges::count_if(running_, same);
  if (before > 0) exec.name += "-" + std::to_string(before + 1);  // it has logs of its own
  exec.deadline = spec_->deadline;
  exec.stall = spec_->stall;
  Started started;
  started.scenario = scenario;
  started.bytes = events_.empty() ? 0 : bytes_towards(seat);
  started.at = context_.clock.now();
  started.running = {&seat, seat.machine->start(exec), exec.name, step, false};
  running_.push_back(started.running);
  return started;
}

ExecReport Trial::wait_for(const Started& started) {
  while (true) {  // the op's deadline ends it
    const Nanoseconds step = events_.empty() ? kWaitStep : kEventStep;
    if (const auto report = started.running.seat->machine->wait(started.running.handle, step)) {
      return *report;
    }
    fire_events(started);
  }
}

OpRecord Trial::op_of(const Started& started, const ExecReport& report) const {
  OpRecord op;
  op.name = started.scenario;
  op.machine = started.running.seat->machine->info().name;
  op.start_ns = report.started.count();
  op.wall_ns = (report.ended - report.started).count();
  op.end = to_string(report.end);
  op.exit_code = report.exit_code;
  op.signal = report.signal;
  op.user_us = report.user_us;
  op.system_us = report.system_us;
  op.largest_rss_bytes = report.largest_rss_bytes;
  return op;
}

void Trial::finish_op(const Started& started, const ExecReport& report) {
  Seat& seat = *started.running.seat;
  OpRecord op = op_of(started, report);
  if (spec_->conditions.durable && !planned_.control) {
    op.settle_ns = seat.machine->sync(seat.tree).count();
    op.wall_ns += op.settle_ns;
  }
  record_.ops.push_back(op);
  if (!report.left_processes.empty()) add_flag(Flag::left_processes);
  note_end(report, seat, started.running.name);
}

// The kernel tells of closed connections from a work queue: a moment after they are closed.
int64_t Trial::answered_after(const Seat& seat, int64_t before) {
  int64_t answered = seat.machine->meter(false).answered;
  for (int i = 0; i < kNewsLooks && answered >= 0 && answered <= before; ++i) {
    context_.clock.sleep(kNewsStep);
    answered = seat.machine->meter(false).answered;
  }
  return answered;
}

void Trial::run_connect(Seat& seat) {
  if (!going_well()) return;
  const int64_t before = seat.machine->meter(false).answered;
  const auto started = start_op("connect", seat);
  if (!started) return;
  const ExecReport report = wait_for(*started);
  const int64_t after = answered_after(seat, before);
  OpRecord op = op_of(*started, report);
  const bool reached = report.reached > Nanoseconds::zero();
  if (reached) op.wall_ns = (report.reached - report.started).count();
  if (after >= 0) op.verdict = after > before ? Verdict::identical : Verdict::different;
  record_.ops.push_back(op);
  if (!report.left_processes.empty()) add_flag(Flag::left_processes);
  const bool waits = role_of(*tool_, seat)->trigger("connect")->until.any();
  if (reached) {
    seat.largest_rss_bytes = std::max(seat.largest_rss_bytes, report.largest_rss_bytes);
  } else if (waits && report.end == ExecEnd::exited && report.exit_code == 0) {
    trouble(Outcome::tool_failed, started->running.name + " ended before it was connected");
  } else {
    note_end(report, seat, started->running.name);
  }
}

// Its time is given; what counts is what everything costs meanwhile (the machines' meters).
void Trial::run_idle() {
  if (!going_well()) return;
  Started idle;
  idle.scenario = "idle";
  std::vector<OpRecord> ops;
  for (Seat* reader : readers()) {
    OpRecord op;
    op.name = "idle";
    op.machine = reader->machine->info().name;
    op.start_ns = reader->machine->meter(false).at.count();
    ops.push_back(op);
    if (idle.running.seat == nullptr) idle.running = {reader, 0, "idle", "idle", false};
  }
  idle.bytes = events_.empty() ? 0 : bytes_towards(*idle.running.seat);
  idle.at = context_.clock.now();
  while (context_.clock.now() - idle.at < spec_->idle) {
    const Nanoseconds left = spec_->idle - (context_.clock.now() - idle.at);
    context_.clock.sleep(std::min(left, events_.empty() ? kWaitStep : kEventStep));
    fire_events(idle);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    ops[i].wall_ns = readers()[i]->machine->meter(false).at.count() - ops[i].start_ns;
    record_.ops.push_back(ops[i]);
  }
  check_running();
}

// What has ended costs nothing, and would win.
void Trial::check_running() {
  for (const Running& running : running_) {
    const auto report = running.seat->machine->wait(running.handle, Nanoseconds::zero());
    if (!report || report->reached > Nanoseconds::zero() || !running.serves) continue;
    trouble(Outcome::tool_failed, running.name + " ended while it was to go on");
  }
}

void Trial::note_needed_bytes(int64_t bytes) {
  if (!record_.ops.empty()) record_.ops.back().needed_bytes = bytes;
}

// By the wire where it tells pairs apart, else by the machine's own interfaces.
int64_t Trial::bytes_towards(const Seat& seat) {
  int64_t bytes = 0;
  const WireReading wire = stage_.wire->read();
  for (const PairCount& pair : wire.pairs) {
    if (pair.to == seat.machine->info().name) bytes += pair.bytes;
  }
  if (!wire.pairs.empty()) return bytes;
  for (const InterfaceCount& count : seat.machine->meter(false).interfaces) {
    bytes += count.received_bytes;
  }
  return bytes;
}

bool Trial::is_due(const CaseEvent& event, const Started& started) {
  if (!event.at_op.empty()) return event.at_op == started.scenario;
  if (event.at_time) return context_.clock.now() - started.at >= *event.at_time;
  return bytes_towards(*started.running.seat) - started.bytes >= event.at_bytes.value_or(0);
}

void Trial::fire_events(const Started& started) {
  std::vector<CaseEvent> waiting;
  for (const CaseEvent& event : std::exchange(events_, {})) {
    if (is_due(event, started)) {
      fire(event, started);
    } else {
      waiting.push_back(event);
    }
  }
  events_ = std::move(waiting);
}

// What happens, happens to everything of the trial that runs on that machine.
void Trial::fire(const CaseEvent& event, const Started& started) {
  if (!kSignals.contains(event.what)) return change_wire(event, started);
  const std::string machine =
      event.machine.empty() ? started.running.seat->machine->info().name : event.machine;
  Machine& place = stage_.machine(machine);
  for (const Running& running : running_) {
    if (running.seat->machine == &place) place.signal(running.handle, kSignals.at(event.what));
  }
  record_.events.push_back({event.what, machine, place.meter(false).at.count()});
}

void Trial::change_wire(const CaseEvent& event, const Started& started) {
  WireChange change = event.change;
  const std::string reader = started.running.seat->machine->info().name;
  const bool of_pair = !change.from.empty();
  if (!of_pair) change.machine = event.machine.empty() ? reader : event.machine;
  stage_.wire->change(change);
  record_.events.push_back({event.what, of_pair ? change.from + ">" + change.to : change.machine,
                            started.running.seat->machine->meter(false).at.count()});
}

}  // namespace fairwire
