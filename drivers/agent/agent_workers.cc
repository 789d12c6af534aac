#include "drivers/agent/agent_workers.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/error.h"
#include "drivers/agent/agent_protocol.h"

namespace fairwire {
namespace {

std::string answer(int64_t id, const std::function<Json()>& job) {
  try {
    return to_line(answer_line(id, job()));
  } catch (...) {
    return to_line(error_line(id, std::current_exception()));
  }
}

// The fork's life: default signals, no way to the harness, one line to the agent.
[[noreturn]] void help(int64_t id, const std::function<Json()>& job, const FileDescriptor& pipe,
                       const std::vector<int>& closed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : closed) ::dup2(null, fd);
  sigset_t none;
  ::sigemptyset(&none);
  ::signal(SIGPIPE, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  try {
    pipe.write_all(answer(id, job));
  } catch (...) {
    ::_exit(1);  // the agent is gone, or out of memory: it answers for us
  }
  ::_exit(0);
}

}  // namespace

AgentWorkers::AgentWorkers(ToolGroups& groups, std::vector<int> closed_in_helpers)
    : groups_(groups), closed_in_helpers_(std::move(closed_in_helpers)) {}

AgentWorkers::~AgentWorkers() {
  kill_all();
}

void AgentWorkers::start(int64_t id, const std::function<Json()>& job) {
  Pipe pipe = make_pipe();
  const pid_t pid = check_system(::fork(), "fork a helper");
  if (pid == 0) {
    pipe.read_end.close();
    help(id, job, pipe.write_end, closed_in_helpers_);
  }
  groups_.exclude(pid);
  check_system(::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK), "fcntl");
  Worker worker;
  worker.id = id;
  worker.pid = pid;
  worker.pipe = std::move(pipe.read_end);
  workers_.push_back(std::move(worker));
}

void AgentWorkers::add_to_poll(std::vector<pollfd>& table) const {
  for (const Worker& worker : workers_) {
    if (worker.pipe.is_open()) table.push_back({worker.pipe.get(), POLLIN, 0});
  }
}

void AgentWorkers::read_line(Worker& worker) {
  char buffer[65536];
  while (worker.pipe.is_open()) {
    const ssize_t count = ::read(worker.pipe.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return worker.pipe.close();
    worker.line.append(buffer, static_cast<size_t>(count));
  }
}

std::vector<std::string> AgentWorkers::collect() {
  std::vector<std::string> answers;
  for (Worker& worker : workers_) {
    read_line(worker);
    if (worker.pipe.is_open() || !worker.reaped) continue;
    if (!worker.line.ends_with('\n')) {
      const auto error = std::make_exception_ptr(std::runtime_error("the agent's helper died"));
      worker.line = to_line(error_line(worker.id, error));
    }
    answers.push_back(std::move(worker.line));
  }
  std::erase_if(workers_,
                [](const Worker& worker) { return worker.reaped && !worker.pipe.is_open(); });
  return answers;
}

bool AgentWorkers::reap(pid_t pid) {
  for (Worker& worker : workers_) {
    if (worker.pid != pid || worker.reaped) continue;
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    groups_.forget(pid);
    worker.reaped = true;
    return true;
  }
  return false;
}

void AgentWorkers::kill_all() {
  for (const Worker& worker : workers_) {
    if (!worker.reaped) ::kill(worker.pid, SIGKILL);
  }
  for (const Worker& worker : workers_) reap(worker.pid);
  workers_.clear();
}

}  // namespace fairwire
