// An ssh host to test against: sshd in a machine of namespaces, with throw-away keys. Nothing
// outside of the namespaces and one temporary folder is touched; who wants to reach it enters its
// network (inside()). Needs root.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "drivers/machine.h"
#include "drivers/machines/ssh.h"

namespace fairwire {

class SshHost {
 public:
  /// `test_agent`: a binary with the verbs agent and netns-init. `extra`: more sshd_config lines.
  explicit SshHost(const std::string& test_agent, std::vector<std::string> extra = {});

  /// Options that reach it from inside(). Each call: a run folder of its own, as of another run.
  SshOptions options();
  /// Runs `work` on a thread within the host's network.
  void inside(const std::function<void()>& work) const;

  Machine& machine() { return *machine_; }
  const std::string& folder() const { return folder_.path(); }
  std::string public_host_key();
  void make_host_key();
  void authorize(bool allowed);
  void start_sshd();
  void stop_sshd();

 private:
  void write_sshd_config(const std::vector<std::string>& extra);

  std::string test_agent_;
  TempDir folder_;
  std::unique_ptr<Machine> machine_;
  int sshd_ = 0;
  int runs_ = 0;
};

}  // namespace fairwire
