// Child processes. fork and exec by hand rather than a library, for three things the meters need
// and Boost.Process 1.81 does not give: the child enters its control groups before exec, its
// wait4 usage is kept, and everything between fork and exec is async-signal-safe.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file_descriptor.h"

namespace fairwire {

struct SpawnOptions {
  std::vector<std::string> argv;  ///< argv[0] is looked up in the *child's* PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< the whole of it
  bool inherit_environment = false;       ///< then `environment` is added to ours
  std::string directory;                  ///< empty: ours
  int stdin_fd = -1;                      ///< -1: /dev/null
  int stdout_fd = -1;                     ///< -1: /dev/null
  int stderr_fd = -1;                     ///< -1: ours
  std::vector<std::string> cgroup_procs;  ///< files to write "0" to before exec
  bool own_group = true;                  ///< setpgid(0, 0)
  bool own_session = false;               ///< setsid(), which makes a group too
  int parent_death_signal = 0;            ///< PR_SET_PDEATHSIG; 0: none
};

/// How a child ended, from wait4.
struct ExitStatus {
  int status = 0;  ///< as waitpid gives it
  rusage usage{};

  bool exited() const;
  int exit_code() const;  ///< -1 unless exited
  int signal() const;     ///< 0 unless signalled
};

/// A running child. The destructor kills its group and reaps it: no child outlives its object.
class Subprocess {
 public:
  /// Throws SystemError{"start", argv[0], errno} when the program cannot be executed. With a
  /// death signal the child ends with the *thread* that made it, as the kernel has it.
  explicit Subprocess(const SpawnOptions& options);
  ~Subprocess();
  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&&) = delete;

  pid_t pid() const { return pid_; }
  /// CLOCK_MONOTONIC, read by the child right before exec.
  Nanoseconds started() const { return started_; }
  /// Readable when the child has ended.
  int pidfd() const { return pidfd_.get(); }
  void signal_group(int signal_number) const;
  std::optional<ExitStatus> wait(Nanoseconds timeout);  ///< negative: for ever

 private:
  pid_t pid_ = -1;
  Nanoseconds started_{};
  FileDescriptor pidfd_;
  bool own_group_ = true;
  std::optional<ExitStatus> ended_;
};

struct CommandResult {
  ExitStatus status;
  std::string out;  ///< at most 1 MiB is kept
  std::string err;
  bool timed_out = false;

  bool ok() const { return !timed_out && status.exit_code() == 0; }
};

/// The file that `name` means under `path`, a PATH; `name` itself when it holds a slash. Throws
/// SystemError{"start", name, ENOENT or EACCES} when there is none.
std::string find_program(const std::string& name, const std::string& path);

/// Runs a command to its end with `input` on its stdin; it is killed at `timeout`. What outlives it
/// with its output in hand is not waited for. Throws Interrupted when a signal arrives meanwhile.
CommandResult run_command(const std::vector<std::string>& argv, const std::string& input,
                          Nanoseconds timeout);

}  // namespace fairwire
