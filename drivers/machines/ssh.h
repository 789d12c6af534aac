// A machine behind ssh: the system's own ssh with a configuration of ours, our static binary
// copied there and run as the agent. The user's ~/.ssh is neither read for settings nor written.
// Invariants: the host's key may not change inside a run; no ssh of ours reads our stdin; what we
// made on the host goes with the agent, also when the connection breaks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "drivers/machine.h"

namespace fairwire {

struct SshOptions {
  std::string name;  ///< of the machine; [A-Za-z0-9._-]+
  std::string host;  ///< name or address, IPv6 without brackets
  int port = 22;
  std::string user;           ///< empty: ssh's default
  std::string identity_file;  ///< empty: ssh's default keys
  std::string host_key;       ///< "ssh-ed25519 AAAA…"; empty: taken from the first connection
  std::string address;        ///< at which the other machines reach it
  std::string agent_binary;   ///< on this host: the static fairwire
  /// On this host: static programs of ours that tools there call by their file names.
  std::vector<std::string> companions = {};
  std::string work_root;      ///< folder on the machine; empty: $HOME/.fairwire, work in /dev/shm
  std::string run_folder;     ///< on this host, private to the run: known hosts, configuration
  std::string socket_folder;  ///< of the shared connection; empty: owner_folder(owner_token())
  /// A machine that is being created may refuse us for so long; then three logins in a row must
  /// succeed. Zero: it is up, and the first refusal is final.
  Nanoseconds boot_window = Nanoseconds::zero();
};

/// Throws FormatError for unusable options (a private key that others may read among them) and
/// ProtocolError, naming machine, host and ssh's own words, when it cannot be reached.
std::unique_ptr<Machine> make_ssh_machine(const SshOptions& options);

}  // namespace fairwire
