#include "drivers/agent.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "drivers/agent/agent_host.h"
#include "drivers/agent/agent_messages.h"
#include "drivers/agent/agent_session.h"
#include "drivers/quiet_write.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

// A harness that does not read its answers gets no further calls served.
constexpr size_t kMostUnsent = size_t{4} << 20;
// How long the end waits for killed processes to be gone; one in uninterruptible sleep may not be.
constexpr std::chrono::seconds kEndPatience{5};

AgentPlace place_of(const AgentOptions& options) {
  AgentPlace place;
  place.token = options.token.empty() ? owner_token() : options.token;
  const std::string home = owner_folder(place.token) + '/' + options.name;
  place.work = options.work.empty() ? home + "/work" : options.work;
  place.store = options.store.empty() ? home + "/store" : options.store;
  const char* path = std::getenv("PATH");
  place.path = path != nullptr && *path != '\0'
                   ? path
                   : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const std::string self = own_binary();  // fairsync stands beside us
  place.path += ':' + self.substr(0, self.rfind('/'));
  return place;
}

std::optional<pid_t> zombie_child() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  return info.si_pid;
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

}  // namespace

AgentSignals::AgentSignals() {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGPIPE}) {
    ::sigaddset(&watched, number);
  }
  check_system(::sigprocmask(SIG_BLOCK, &watched, &before_), "block signals");
  fd_ = FileDescriptor(
      check_system(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
}

AgentSignals::~AgentSignals() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool AgentSignals::read_ending() const {
  bool ending = false;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) {
    const auto number = static_cast<int>(info.ssi_signo);
    ending = ending || number == SIGTERM || number == SIGHUP || number == SIGINT;
  }
  return ending;
}

AgentSession::AgentSession(const AgentOptions& options, TreeService& trees, int input, int output)
    : trees_(trees),
      input_(input),
      output_(output),
      place_(place_of(options)),
      folders_(place_),
      groups_(options.meter, "fairwire-" + place_.token + '-' + options.name),
      meter_(groups_),
      execs_(place_, groups_, meter_),
      workers_(groups_, {input, output}),
      name_(options.name) {
  // Orphans of our tools come to us: we reap and meter them.
  check_system(::prctl(PR_SET_CHILD_SUBREAPER, 1), "become a subreaper");
}

AgentSession::~AgentSession() {
  try {
    workers_.kill_all();
    const Nanoseconds until = monotonic_now() + kEndPatience;
    while (has_children() && monotonic_now() < until) {
      groups_.kill_all();
      reap_children(monotonic_now());
      ::usleep(1000);
    }
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void AgentSession::send(const Json& message) {
  try {
    unsent_ += to_line(message);
  } catch (const ProtocolError&) {  // too long: the call failed, the session goes on
    const Json* id = message.find("id");
    unsent_ += to_line(error_line(id != nullptr ? *id : Json(), std::current_exception()));
  }
}

void AgentSession::serve() {
  MachineInfo info;
  info.name = name_;
  info.work = place_.work;
  info.store = place_.store;
  info.self = own_binary();
  info.host = host_facts(place_.work, groups_.method());
  send(hello_of(info));
  std::vector<pollfd> table;
  while (!ending_) {
    wait_for_events(table);
    const Nanoseconds now = monotonic_now();  // the stamp of whatever has ended
    // Signals before children: a SIGCHLD that is read is one whose child is reaped below.
    if (signals_.read_ending()) return;
    reap_children(now);
    execs_.tick(now);
    for (const std::string& line : workers_.collect()) unsent_ += line;
    if (table[0].revents != 0) read_input();
    if (table[1].revents != 0) write_output();
    answer_waiters(monotonic_now());
  }
}

void AgentSession::wait_for_events(std::vector<pollfd>& table) const {
  table.clear();
  const short reads = unsent_.size() < kMostUnsent ? POLLIN : 0;
  table.push_back({input_, reads, 0});
  // Without POLLOUT it still tells that the other end has gone.
  table.push_back({output_, static_cast<short>(unsent_.empty() ? 0 : POLLOUT), 0});
  table.push_back({signals_.fd(), POLLIN, 0});
  execs_.add_to_poll(table);
  workers_.add_to_poll(table);
  std::optional<Nanoseconds> due = execs_.next_due();
  for (const Waiter& waiter : waiters_) {
    due = std::min(due.value_or(Nanoseconds::max()), waiter.until);
  }
  timespec timeout{};
  if (due) {
    const Nanoseconds left = std::max(*due - monotonic_now(), Nanoseconds::zero());
    timeout.tv_sec = left.count() / 1'000'000'000;
    timeout.tv_nsec = left.count() % 1'000'000'000;
  }
  if (::ppoll(table.data(), table.size(), due ? &timeout : nullptr, nullptr) < 0) {
    if (errno != EINTR) throw_system_error("poll");
    for (pollfd& entry : table) entry.revents = 0;
  }
}

void AgentSession::reap_children(Nanoseconds now) {
  while (const auto pid = zombie_child()) {
    if (execs_.reap(*pid, now) || workers_.reap(*pid)) continue;
    meter_.note_zombie(*pid);
    rusage usage{};
    if (::wait4(*pid, nullptr, 0, &usage) != *pid) continue;
    groups_.add_reaped(usage);
    meter_.note_reaped(usage);
  }
}

void AgentSession::answer_waiters(Nanoseconds now) {
  std::erase_if(waiters_, [&](const Waiter& waiter) {
    const ExecReport* report = execs_.report(waiter.handle);
    if (report != nullptr && (!waiter.stop || execs_.gone(waiter.handle))) {
      send(answer_line(waiter.id, to_json(*report)));
      return true;
    }
    if (waiter.stop || now < waiter.until) return false;
    send(answer_line(waiter.id, nullptr));
    return true;
  });
}

void AgentSession::read_input() {
  std::array<std::byte, 65536> buffer;
  const ssize_t count = ::read(input_, buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    ending_ = true;
    return;
  }
  try {
    const auto* bytes = reinterpret_cast<const char*>(buffer.data());
    reader_.feed(std::string_view(bytes, static_cast<size_t>(count)));
  } catch (const ProtocolError&) {
    send(error_line(nullptr, std::current_exception()));
    write_output();
    ending_ = true;
  }
  while (const auto line = reader_.next()) handle(*line);
}

void AgentSession::write_output() {
  // A pipe that polls writable takes PIPE_BUF bytes without blocking.
  const std::string_view bytes = std::string_view(unsent_).substr(sent_, 4096);
  if (bytes.empty()) {
    ending_ = true;  // polled without POLLOUT: the reader has gone
    return;
  }
  const ssize_t count = quiet_write(output_, bytes);
  if (count < 0) {
    ending_ = errno != EAGAIN;
    return;
  }
  sent_ += static_cast<size_t>(count);
  if (sent_ < unsent_.size()) return;
  unsent_.clear();
  sent_ = 0;
}

void AgentSession::handle(const std::string& line) {
  Json id;
  try {
    const AgentCall call = parse_call(line);
    id = call.id;
    dispatch(call, JsonView(call.params, "call"));
  } catch (...) {
    send(error_line(id, std::current_exception()));
  }
}

int serve_agent(const AgentOptions& options, TreeService& trees, int input, int output) {
  try {
    if (options.token.empty()) {
      for (const std::string& line : sweep_leftovers()) log_info(line);
    }
    AgentSession(options, trees, input, output).serve();
    return 0;
  } catch (const std::exception& error) {
    log_warning(std::string("agent ") + options.name + ": " + error.what());
    return 4;
  }
}

}  // namespace fairwire
