#include "drivers/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/log.h"

namespace fairwire {
namespace {

enum class Step : int32_t { exec, descriptors, directory, control_group };

// What the child says through the pipe: once with its time right before exec, and once more if
// exec, or anything before it, failed. A whole message is far below PIPE_BUF.
struct Word {
  int64_t now_ns = 0;
  Step step = Step::exec;
  int32_t error_number = 0;
  int32_t index = 0;  // of the control group that could not be entered
};

// Everything the child needs, made before fork: after it only async-signal-safe calls.
struct ChildPlan {
  std::string program;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::array<int, 3> descriptors{};
  const SpawnOptions* options = nullptr;
  pid_t parent = 0;
  int report = -1;
};

void set_variable(std::vector<std::string>& environment, const std::string& key,
                  const std::string& value) {
  const std::string prefix = key + '=';
  for (std::string& variable : environment) {
    if (variable.starts_with(prefix)) {
      variable = prefix + value;
      return;
    }
  }
  environment.push_back(prefix + value);
}

std::vector<std::string> whole_environment(const SpawnOptions& options) {
  std::vector<std::string> environment;
  if (options.inherit_environment) {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      environment.emplace_back(*variable);
    }
  }
  for (const auto& [key, value] : options.environment) set_variable(environment, key, value);
  return environment;
}

std::string path_of(const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void give_up(const ChildPlan& plan, Step step, int index = 0) {
  Word word;
  word.step = step;
  word.error_number = errno;
  word.index = index;
  [[maybe_unused]] const ssize_t count = ::write(plan.report, &word, sizeof word);
  ::_exit(127);
}

void place_descriptors(const ChildPlan& plan) {
  std::array<int, 3> high{};
  for (int i = 0; i < 3; ++i) {  // above 2 first: sources and targets may overlap
    int source = plan.descriptors[static_cast<size_t>(i)];
    if (source < 0) source = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    high[static_cast<size_t>(i)] = ::fcntl(source, F_DUPFD_CLOEXEC, 3);
    if (high[static_cast<size_t>(i)] < 0) give_up(plan, Step::descriptors);
  }
  for (int i = 0; i < 3; ++i) {
    if (::dup2(high[static_cast<size_t>(i)], i) < 0) give_up(plan, Step::descriptors);
  }
  ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);  // descriptors of libraries and of our own parent
}

void enter_control_groups(const ChildPlan& plan) {
  int index = 0;
  for (const std::string& file : plan.options->cgroup_procs) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ::write(fd, "0", 1) != 1) give_up(plan, Step::control_group, index);
    ::close(fd);
    ++index;
  }
}

void reset_signals() {
  // By the bare system call: the library keeps 32 and 33 to itself and refuses them, but whoever
  // started us may have ignored them. All zero is SIG_DFL in the kernel's structure, too.
  constexpr size_t kKernelSetBytes = 8;
  const long action[4] = {};
  for (int number = 1; number <= 64; ++number) {
    ::syscall(SYS_rt_sigaction, number, action, nullptr, kKernelSetBytes);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const ChildPlan& plan) {
  const SpawnOptions& options = *plan.options;
  if (options.parent_death_signal != 0) {
    ::prctl(PR_SET_PDEATHSIG, options.parent_death_signal);
    if (::getppid() != plan.parent) ::_exit(127);  // it died before we asked
  }
  if (options.own_session) {
    ::setsid();
  } else if (options.own_group) {
    ::setpgid(0, 0);
  }
  enter_control_groups(plan);
  place_descriptors(plan);
  if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) {
    give_up(plan, Step::directory);
  }
  reset_signals();
  Word word;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  word.now_ns = now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
  [[maybe_unused]] const ssize_t count = ::write(plan.report, &word, sizeof word);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  give_up(plan, Step::exec);
}

pid_t fork_quietly(const ChildPlan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);  // no handler of ours may run in the child
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int error_number = errno;
  if (pid == 0) become(plan);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error_number;
  return pid;
}

[[noreturn]] void throw_failure(const Word& word, const SpawnOptions& options) {
  switch (word.step) {
    case Step::directory:
      throw SystemError("enter the directory", options.directory, word.error_number);
    case Step::control_group:
      throw SystemError("enter the control group",
                        options.cgroup_procs.at(static_cast<size_t>(word.index)),
                        word.error_number);
    case Step::descriptors:
      throw SystemError("place the descriptors of", options.argv[0], word.error_number);
    case Step::exec:
      break;
  }
  throw SystemError("start", options.argv[0], word.error_number);
}

// The child's time right before exec; throws once it says that it failed.
Nanoseconds read_words(const FileDescriptor& pipe, const SpawnOptions& options) {
  Word word;
  Nanoseconds started{};
  while (pipe.read_some(std::as_writable_bytes(std::span(&word, 1))) == sizeof word) {
    if (word.error_number != 0) throw_failure(word, options);
    started = Nanoseconds(word.now_ns);
  }
  if (started == Nanoseconds::zero()) throw SystemError("start", options.argv[0], ECHILD);
  return started;
}

int poll_timeout(Nanoseconds left) {
  // Rounded up, so that a short wait does not spin.
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<int64_t>(ms, 0, 1'000'000'000));
}

bool wait_readable(int fd, Nanoseconds timeout) {
  const Nanoseconds until = monotonic_now() + timeout;
  while (true) {
    pollfd entry{fd, POLLIN, 0};
    const bool for_ever = timeout < Nanoseconds::zero();
    const int ready = ::poll(&entry, 1, for_ever ? -1 : poll_timeout(until - monotonic_now()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw_system_error("poll");
    if (!for_ever && monotonic_now() >= until) return false;
  }
}

}  // namespace

bool ExitStatus::exited() const {
  return WIFEXITED(status);
}
int ExitStatus::exit_code() const {
  return exited() ? WEXITSTATUS(status) : -1;
}
int ExitStatus::signal() const {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

Subprocess::Subprocess(const SpawnOptions& options)
    : own_group_(options.own_group || options.own_session) {
  if (options.argv.empty()) throw SystemError("start", "", EINVAL);
  ChildPlan plan;
  plan.environment = whole_environment(options);
  plan.program = find_program(options.argv[0], path_of(plan.environment));
  plan.argv = pointers(options.argv);
  plan.envp = pointers(plan.environment);
  plan.descriptors = {options.stdin_fd, options.stdout_fd,
                      options.stderr_fd < 0 ? STDERR_FILENO : options.stderr_fd};
  plan.options = &options;
  plan.parent = ::getpid();
  Pipe report = make_pipe();
  plan.report = report.write_end.get();
  pid_ = check_system(fork_quietly(plan), "fork for", options.argv[0]);
  report.write_end.close();
  try {
    started_ = read_words(report.read_end, options);
    // By number: glibc 2.36 declares pidfd_open without C linkage.
    const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    pidfd_ = FileDescriptor(check_system(fd, "pidfd_open"));
  } catch (...) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw;
  }
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      started_(other.started_),
      pidfd_(std::move(other.pidfd_)),
      own_group_(other.own_group_),
      ended_(other.ended_) {}

Subprocess::~Subprocess() {
  if (pid_ < 0 || ended_) return;
  signal_group(SIGKILL);
  try {
    wait(Nanoseconds(-1));
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void Subprocess::signal_group(int signal_number) const {
  if (ended_) return;  // reaped: the number may be another's by now
  if (::kill(own_group_ ? -pid_ : pid_, signal_number) != 0 && errno != ESRCH) {
    log_warning(SystemError("signal process", std::to_string(pid_), errno).what());
  }
}

std::optional<ExitStatus> Subprocess::wait(Nanoseconds timeout) {
  if (ended_) return ended_;
  if (!wait_readable(pidfd_.get(), timeout)) return std::nullopt;
  ExitStatus ended;
  while (::wait4(pid_, &ended.status, 0, &ended.usage) < 0) {
    if (errno != EINTR) throw_system_error("wait for process", std::to_string(pid_));
  }
  ended_ = ended;
  return ended_;
}

}  // namespace fairwire
