#include "tests/contract/ssh_host.h"

#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/machines/netns.h"
#include "drivers/subprocess.h"
#include "drivers/sweep.h"
#include "drivers/wires/network_namespace.h"
#include "tests/contract/run_on.h"

namespace fairwire {
namespace {

constexpr int kPort = 2222;
constexpr const char* kFolder = "/etc/fairwire-sshd";

void check(const RunOn& run, const char* what) {
  if (!run.ok()) throw ProtocolError(std::string(what) + " failed: " + run.out + run.err);
}

}  // namespace

SshHost::SshHost(const std::string& test_agent, std::vector<std::string> extra)
    : test_agent_(test_agent), folder_("ssh-host") {
  NetnsOptions options;
  options.name = "sshhost";
  options.self_binary = test_agent;
  options.token = owner_token();
  options.work_bytes = int64_t{1} << 30;
  machine_ = make_netns_machine(options);
  machine_->make_directory(kFolder);
  // Without PAM sshd refuses an account whose password field says "locked".
  machine_->put("/etc/shadow", "root:*:19000:0:99999:7:::\nsshd:!:19000::::::\n", 0600);
  const CommandResult made =
      run_command({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder() + "/user"}, "",
                  std::chrono::seconds(10));
  if (!made.ok()) throw ProtocolError("ssh-keygen failed: " + made.err);
  make_host_key();
  authorize(true);
  write_sshd_config(extra);
  start_sshd();
}

void SshHost::write_sshd_config(const std::vector<std::string>& extra) {
  const std::string folder = kFolder;
  std::string text = "ListenAddress 127.0.0.1\nPort " + std::to_string(kPort) + "\nHostKey " +
                     folder + "/host\nPidFile none\nAuthorizedKeysFile " + folder +
                     "/authorized_keys\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                     "KbdInteractiveAuthentication no\nUseDNS no\nPermitRootLogin yes\n"
                     "Subsystem sftp internal-sftp\n";
  for (const std::string& line : extra) text += line + '\n';
  machine_->put(folder + "/sshd_config", text, 0600);
}

SshOptions SshHost::options() {
  SshOptions options;
  options.name = "remote";
  options.host = "127.0.0.1";
  options.port = kPort;
  options.user = "root";
  options.identity_file = folder() + "/user";
  options.address = "127.0.0.1";
  options.agent_binary = test_agent_;
  options.run_folder = folder() + "/run" + std::to_string(++runs_);
  options.socket_folder = folder() + "/s" + std::to_string(runs_);
  return options;
}

void SshHost::inside(const std::function<void()>& work) const {
  in_network_of(machine_->info().namespace_pid, work);
}

std::string SshHost::public_host_key() {
  return machine_->get(std::string(kFolder) + "/host.pub", 4096).value_or("");
}

void SshHost::make_host_key() {
  const std::string key = std::string(kFolder) + "/host";
  machine_->remove(key);
  machine_->remove(key + ".pub");
  check(run_on(*machine_, {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key}),
        "ssh-keygen");
}

void SshHost::authorize(bool allowed) {
  const std::string key = read_file(folder() + "/user.pub", 4096);
  machine_->put(std::string(kFolder) + "/authorized_keys", allowed ? key : "\n", 0600);
}

void SshHost::start_sshd() {
  ExecSpec spec;
  spec.name = "sshd";
  spec.argv = {"/usr/sbin/sshd", "-D", "-e", "-f", std::string(kFolder) + "/sshd_config"};
  sshd_ = machine_->start(spec);
  if (!machine_->wait_for_tcp("127.0.0.1", kPort, std::chrono::seconds(10))) {
    throw ProtocolError("sshd does not listen: " +
                        machine_->get(machine_->info().work + "/logs/sshd.err", 4096).value_or(""));
  }
}

void SshHost::stop_sshd() {
  machine_->stop(sshd_, std::chrono::seconds(2));
}

}  // namespace fairwire
