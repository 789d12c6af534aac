#include "drivers/agent/agent_exec.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>

#include "base/error.h"

namespace fairwire {
namespace {

// Helpers that end just after their parent are no left processes.
constexpr std::chrono::milliseconds kLinger{100};
constexpr std::chrono::seconds kReachedGrace{2};
// Without cgroup.kill one round may miss what forks meanwhile.
constexpr std::chrono::milliseconds kKillAgain{20};

int64_t micros(const timeval& time) {
  return time.tv_sec * int64_t{1'000'000} + time.tv_usec;
}

void set_variable(std::vector<std::pair<std::string, std::string>>& environment, std::string key,
                  std::string value) {
  environment.emplace_back(std::move(key), std::move(value));
}

}  // namespace

struct ExecTable::Exec {
  int handle = 0;
  ExecSpec spec;
  ExecReport report;
  FileDescriptor out;
  FileDescriptor err;
  std::optional<Subprocess> process;  // until it is reaped
  std::optional<StallWatch> stall;
  std::optional<UntilWatch> until;
  Nanoseconds next_look{};  // of the stall watch
  std::optional<ExecEnd> forced;
  std::optional<Nanoseconds> kill_at;
  bool reported = false;
  bool gone = false;

  void take(const ExitStatus& status, Nanoseconds now) {
    report.end = forced.value_or(status.exited() ? ExecEnd::exited : ExecEnd::signalled);
    report.exit_code = status.exit_code();
    report.signal = status.signal();
    report.ended = now;
    report.user_us = micros(status.usage.ru_utime);
    report.system_us = micros(status.usage.ru_stime);
    report.largest_rss_bytes = status.usage.ru_maxrss * int64_t{1024};
    process.reset();
  }
};

ExecTable::ExecTable(const AgentPlace& place, ToolGroups& groups, Meter& meter)
    : place_(place), groups_(groups), meter_(meter) {}

ExecTable::~ExecTable() = default;

ExecTable::Exec& ExecTable::find(int handle) const {
  const auto found = execs_.find(handle);
  if (found == execs_.end()) {
    throw ProtocolError("there is no program with the handle " + std::to_string(handle));
  }
  return *found->second;
}

SpawnOptions ExecTable::spawn_options(const Exec& exec) const {
  SpawnOptions options;
  options.argv = exec.spec.argv;
  set_variable(options.environment, "PATH", place_.path);
  set_variable(options.environment, "HOME", place_.work + "/home");
  set_variable(options.environment, "LC_ALL", "C.UTF-8");
  set_variable(options.environment, "TMPDIR", place_.work + "/tmp");
  for (const auto& [key, value] : exec.spec.environment) {
    set_variable(options.environment, key, value);  // Subprocess lets the last one win
  }
  set_variable(options.environment, "FAIRWIRE_TOKEN", place_.token);
  set_variable(options.environment, "FAIRWIRE_EXEC", std::to_string(exec.handle));
  options.directory = exec.spec.directory.empty() ? place_.work : exec.spec.directory;
  options.stdout_fd = exec.out.get();
  options.stderr_fd = exec.err.get();
  options.own_session = true;
  return options;
}

void ExecTable::launch(Exec& exec) {
  const std::string log = place_.work + "/logs/" + exec.spec.name;
  exec.out = exec.spec.stdout_path.empty()
                 ? open_file(log + ".out", O_WRONLY | O_CREAT | O_APPEND)
                 : open_file(exec.spec.stdout_path, O_WRONLY | O_CREAT | O_TRUNC);
  exec.err = open_file(log + ".err", O_WRONLY | O_CREAT | O_APPEND);
  if (exec.spec.until.any()) {
    const std::string& out = exec.spec.stdout_path;
    exec.until.emplace(exec.spec.until, std::vector{out.empty() ? log + ".out" : out, log + ".err"},
                       meter_);
  }
  SpawnOptions options = spawn_options(exec);
  options.cgroup_procs = groups_.open(exec.handle, exec.spec.name);
  exec.process.emplace(options);
  exec.out.close();
  exec.err.close();
  groups_.set_main(exec.handle, exec.process->pid());
  meter_.note_started(exec.process->pid());
  exec.report.started = exec.process->started();
  if (exec.spec.stall > Nanoseconds::zero()) {
    exec.stall.emplace(exec.spec.stall, exec.report.started, meter_.activity());
    exec.next_look = exec.report.started + exec.stall->period();
  }
}

int ExecTable::start(const ExecSpec& spec) {
  auto exec = std::make_unique<Exec>();
  exec->handle = ++last_handle_;
  exec->spec = spec;
  try {
    launch(*exec);
    active_.insert(exec->handle);
    next_poll_ = std::min(next_poll_, exec->report.started + kMemoryPeriod);
  } catch (const SystemError& error) {
    groups_.close(exec->handle);
    exec->out.close();
    exec->err.close();
    exec->report.end = ExecEnd::not_started;
    exec->report.started = exec->report.ended = monotonic_now();
    const bool plain = error.attempt == "start";
    const std::string words = error.what();
    exec->report.why_not_started = plain ? words.substr(words.rfind(": ") + 2) : words;
    exec->reported = exec->gone = true;
  }
  const int handle = exec->handle;
  execs_[handle] = std::move(exec);
  return handle;
}

void ExecTable::signal(int handle, int signal_number) {
  const Exec& exec = find(handle);
  if (exec.gone) return;
  for (const pid_t pid : groups_.members(exec.handle)) ::kill(pid, signal_number);
}

void ExecTable::stop(int handle, Nanoseconds grace) {
  Exec& exec = find(handle);
  if (exec.gone) return;
  if (!exec.reported && exec.process && !exec.forced) exec.forced = ExecEnd::stopped;
  signal(handle, SIGTERM);
  signal(handle, SIGCONT);  // a paused program would not see the other
  const Nanoseconds until = monotonic_now() + grace;
  exec.kill_at = exec.kill_at ? std::min(*exec.kill_at, until) : until;
}

const ExecReport* ExecTable::report(int handle) const {
  const Exec& exec = find(handle);
  return exec.reported ? &exec.report : nullptr;
}

bool ExecTable::gone(int handle) const {
  return find(handle).gone;
}

void ExecTable::add_to_poll(std::vector<pollfd>& table) const {
  for (const int handle : active_) {
    const Exec& exec = find(handle);
    if (exec.process) table.push_back({exec.process->pidfd(), POLLIN, 0});
  }
}

bool ExecTable::reap(pid_t pid, Nanoseconds now) {
  for (const int handle : active_) {
    Exec& exec = find(handle);
    if (!exec.process || exec.process->pid() != pid) continue;
    meter_.note_zombie(pid);
    const ExitStatus status = *exec.process->wait(Nanoseconds(-1));
    groups_.add_reaped(status.usage);
    meter_.note_reaped(status.usage);
    exec.take(status, now);
    if (exec.until && exec.until->seen()) exec.report.reached = now;
    exec.until.reset();
    settle(exec, now);
    if (exec.gone) active_.erase(handle);
    return true;
  }
  return false;
}

void ExecTable::end_by_force(Exec& exec, ExecEnd end) {
  exec.forced = end;
  exec.kill_at = Nanoseconds::zero();
}

void ExecTable::watch(Exec& exec, Nanoseconds now) {
  if (exec.forced) return;
  const Nanoseconds deadline = exec.spec.deadline;
  if (deadline > Nanoseconds::zero() && now - exec.report.started >= deadline) {
    return end_by_force(exec, ExecEnd::deadline);
  }
  if (!exec.stall || now < exec.next_look) return;
  exec.next_look = now + exec.stall->period();
  if (!seen_) seen_ = meter_.activity();
  const auto wire_counts = [this] { return hold_network_socket(groups_.all()); };
  if (exec.stall->stalled(now, *seen_, wire_counts)) end_by_force(exec, ExecEnd::stalled);
}

void ExecTable::look_for_end(Exec& exec, Nanoseconds now) {
  if (!exec.until->seen()) return;
  exec.report.reached = now;
  exec.until.reset();
  stop(exec.handle, kReachedGrace);
}

// After the main process has ended: are others left, and are they to be left?
void ExecTable::settle(Exec& exec, Nanoseconds now) {
  const std::vector<pid_t> others = groups_.members(exec.handle);
  if (others.empty()) {
    exec.reported = true;
    exec.gone = groups_.close(exec.handle);
  } else if (!exec.forced && !exec.reported && now - exec.report.ended >= kLinger) {
    for (const pid_t pid : others) exec.report.left_processes.push_back(process_name(pid));
    exec.reported = true;
  }
}

void ExecTable::tick(Nanoseconds now) {
  seen_.reset();
  const std::vector<int> handles(active_.begin(), active_.end());
  for (const int handle : handles) {
    Exec& exec = find(handle);
    if (exec.process) watch(exec, now);
    if (exec.process && exec.until) look_for_end(exec, now);
    if (exec.kill_at && now >= *exec.kill_at) {
      groups_.kill(handle);
      exec.kill_at = now + kKillAgain;
    }
    if (!exec.process) settle(exec, now);
    if (exec.gone) active_.erase(handle);
  }
  if (!active_.empty() && now >= next_poll_) {
    meter_.poll();
    next_poll_ = now + kMemoryPeriod;
  }
}

std::optional<Nanoseconds> ExecTable::next_due() const {
  if (active_.empty()) return std::nullopt;
  Nanoseconds due = next_poll_;
  for (const int handle : active_) {
    const Exec& exec = find(handle);
    if (exec.process && exec.spec.deadline > Nanoseconds::zero() && !exec.forced) {
      due = std::min(due, exec.report.started + exec.spec.deadline);
    }
    if (exec.kill_at) due = std::min(due, *exec.kill_at);
    if (exec.until) due = std::min(due, monotonic_now() + kUntilPeriod);
  }
  return due;
}

}  // namespace fairwire
