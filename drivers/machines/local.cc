#include "drivers/machines/local.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "drivers/agent_client.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

// A large tree in work takes its time to be removed.
constexpr std::chrono::seconds kGoodbye{60};

// What an agent that had to be killed could not remove.
void remove_rest(const std::string& folder, const std::string& owned) {
  try {
    remove_tree(folder);
    ::rmdir(owned.c_str());  // the last of the token's agents succeeds
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

}  // namespace

std::unique_ptr<Machine> make_local_machine(const std::string& name, const std::string& self_binary,
                                            const std::string& token) {
  LocalSetup setup;
  setup.name = name;
  setup.self_binary = self_binary;
  setup.token = token;
  return make_local_machine(setup);
}

std::unique_ptr<Machine> make_local_machine(const LocalSetup& local) {
  Pipe to_agent = make_pipe();
  Pipe from_agent = make_pipe();
  // The agent's words, in memory that no crash of ours can leave behind.
  auto errors = std::make_shared<FileDescriptor>(
      check_system(::memfd_create("agent-errors", MFD_CLOEXEC), "memfd_create"));
  const std::string owned = owner_folder(local.token);
  const std::string folder = owned + '/' + local.name;

  SpawnOptions options;
  options.argv = local.before;
  for (const std::string& word :
       {local.self_binary, std::string("agent"), std::string("--name"), local.name,
        std::string("--token"), local.token, std::string("--work"), folder + "/work",
        std::string("--store"), folder + "/store", std::string("--meter"), local.meter}) {
    options.argv.push_back(word);
  }
  options.inherit_environment = true;
  options.stdin_fd = to_agent.read_end.get();
  options.stdout_fd = from_agent.write_end.get();
  options.stderr_fd = errors->get();
  options.parent_death_signal = SIGTERM;

  AgentLink link;
  link.launcher = std::make_unique<Subprocess>(options);
  to_agent.read_end.close();  // the agent's end of output must be ours to see
  from_agent.write_end.close();
  link.to_agent = std::move(to_agent.write_end);
  link.from_agent = std::move(from_agent.read_end);
  link.early_errors = "/proc/self/fd/" + std::to_string(errors->get());
  link.after = [errors, folder, owned] { remove_rest(folder, owned); };
  link.goodbye = kGoodbye;

  MachineSetup setup;
  setup.name = local.name;
  setup.kind = "local";
  setup.address = "127.0.0.1";
  return std::make_unique<AgentMachine>(std::move(link), setup);
}

}  // namespace fairwire
