// Commands on another machine over the system's ssh: one login shared by all of them, output
// framed between markers so that what start-up files print is told apart, and a login that was
// closed before it began tried again.
// Invariants: a command's stdin is /dev/null unless input is meant for it; a command is repeated
// only when ssh says that it never began.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "base/json.h"
#include "drivers/machines/ssh_config.h"
#include "drivers/subprocess.h"

namespace fairwire {

struct RemoteResult {
  int exit_code = -1;
  std::string out;
  std::string err;    ///< the command's, with what ssh itself said
  std::string noise;  ///< what the machine's shell printed before the command

  bool ok() const { return exit_code == 0; }
};

/// A command that goes on: its stdin and stdout are pipes of ours, its stderr the file.
struct RemoteSession {
  FileDescriptor to_command;
  FileDescriptor from_command;  ///< right after the noise
  std::unique_ptr<Subprocess> ssh;
  std::string noise;
  std::string errors;  ///< path on this host
};

class SshConnection {
 public:
  /// Writes the configuration into the run folder; connects to nothing yet.
  explicit SshConnection(const SshOptions& options);
  ~SshConnection();

  /// Waits until the machine takes logins (SshOptions::boot_window) and looks for shell noise.
  void wait_until_ready();

  /// Throws ProtocolError when the command could not be run or did not end in time.
  RemoteResult run(const std::vector<std::string>& argv, const std::string& input,
                   Nanoseconds timeout);
  /// Starts a command whose stderr goes to a file in the run folder with `label` in its name.
  RemoteSession open(const std::vector<std::string>& argv, const std::string& label);

  /// A word that no other connection has: a plain name.
  const std::string& mark() const { return mark_; }
  /// How the machine was reached, for the record: key, sharing, noise, notes.
  Json facts() const;

 private:
  /// What one ssh brought: a result, or its complaints.
  template <typename Result>
  struct Attempt {
    std::optional<Result> result;
    std::string errors;
    bool timed_out = false;
  };

  std::vector<std::string> ssh_argv(const std::string& control, bool master,
                                    const std::string& command) const;
  Attempt<RemoteResult> try_run(const std::string& control, const std::vector<std::string>& argv,
                                const std::string& input, Nanoseconds timeout) const;
  Attempt<RemoteSession> try_open(const std::string& control, bool master,
                                  const std::vector<std::string>& argv,
                                  const std::string& label) const;
  void wait_for_boot();
  std::string shared_login();
  void close_shared_login();
  void note_noise(const std::string& noise);
  template <typename Result>
  [[noreturn]] void fail(const Attempt<Result>& attempt) const;
  template <typename Try>
  auto patiently(const Try& attempt) const;

  SshOptions options_;
  std::string config_;
  std::string known_hosts_;
  std::string control_;  // empty: every command logs in by itself
  std::string mark_;     // unique words around the output of our commands
  bool key_was_known_ = false;
  Nanoseconds ready_after_{};
  std::string noise_;
  std::mutex mutex_;  // of the shared login and the noise
  std::optional<RemoteSession> shared_;
  std::counting_semaphore<> slots_;
};

/// "remote shell prints N bytes: …" with the first of them made printable.
std::string describe_noise(const std::string& noise);

}  // namespace fairwire
