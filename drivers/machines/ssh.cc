#include "drivers/machines/ssh.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "drivers/agent_client.h"
#include "drivers/machines/ssh_connection.h"

namespace fairwire {
namespace {

constexpr size_t kLargestBinary = size_t{256} << 20;
constexpr Nanoseconds kShortCommand = std::chrono::seconds(30);
constexpr Nanoseconds kGoodbye = std::chrono::seconds(60);
constexpr Nanoseconds kCopyTime = std::chrono::minutes(10);

// The scripts are constants; what varies comes to them as arguments, "$1", "$2", …

// ROOT, NAME of the binary, its SIZE, NAME of our stay → system, architecture, absolute root,
// "have" or "need". A root that we make carries our mark, and only such a root is removed later.
constexpr const char* kArrive = R"(
umask 077
root=$1; [ -n "$root" ] || root=$HOME/.fairwire
if [ ! -d "$root" ]; then mkdir -p "$root" && : > "$root/made-by-fairwire"; fi
mkdir "$root/$4" || exit 1
uname -s; uname -m
cd "$root" && pwd
size=$(wc -c 2>/dev/null < "$2") && [ "$size" -eq "$3" ] && [ -x "$2" ] && echo have || echo need
)";

// ROOT, NAME; the binary on stdin. Complete or absent: the name appears with the rename.
constexpr const char* kReceive = R"(
umask 077
cd "$1" && cat > "$2.$$" && chmod 0755 "$2.$$" && mv -f "$2.$$" "$2"
)";

// ROOT, NAME of a program, its SIZE → "have" or "need".
constexpr const char* kLook = R"(
cd "$1" || exit 1
size=$(wc -c 2>/dev/null < "$2") && [ "$size" -eq "$3" ] && [ -x "$2" ] && echo have || echo need
)";

// ROOT, NAME of our stay, NAME of the program in root, the name that tools call it by.
constexpr const char* kLink = R"(
ln -sf "../$3" "$1/$2/$4"
)";

// ROOT, NAME of our stay, then the agent's argv. Programs of ours are found last in its PATH. The
// last one to leave a root of ours removes it. A broken connection ends the agent by the end of its
// input and leaves this shell to clean up; the traps do nothing, but unlike ignored signals they
// are not handed on to the agent.
constexpr const char* kStay = R"(
root=$1; stay=$2; shift 2
PATH=$PATH:$root/$stay; export PATH
trap : HUP INT TERM PIPE
"$@"; code=$?
rm -rf "$root/$stay"
if [ -e "$root/made-by-fairwire" ]; then
  set -- "$root"/stay-*
  [ -e "$1" ] || rm -rf "$root"
fi
exit $code
)";

std::vector<std::string> script(const char* text, std::vector<std::string> arguments) {
  std::vector<std::string> argv = {"sh", "-c", text, "fairwire"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// Our place on the machine: a folder, perhaps shared with others of our kind, and in it a stay.
struct Place {
  std::string root;
  std::string binary;  // file name in root
  std::string stay;    // folder name in root
  std::string system;
  std::string architecture;
  bool has_binary = false;
};

[[noreturn]] void refuse(const SshOptions& options, const std::string& reason) {
  throw ProtocolError("machine " + options.name + ": " + reason);
}

void check_same_kind(const SshOptions& options, const Place& place) {
  utsname here{};
  check_system(::uname(&here), "uname");
  if (place.system == here.sysname && place.architecture == here.machine) return;
  refuse(options, "it runs " + escape_name(place.system) + " on " +
                      escape_name(place.architecture) + ", the agent was built for " +
                      here.sysname + " on " + here.machine);
}

Place move_in(SshConnection& connection, const SshOptions& options, const std::string& binary) {
  Place place;
  place.root = options.work_root;
  place.binary = "agent-" + to_hex(sha256(binary));
  place.stay = "stay-" + connection.mark();
  const RemoteResult arrival = connection.run(
      script(kArrive, {place.root, place.binary, std::to_string(binary.size()), place.stay}), "",
      kShortCommand);
  const std::vector<std::string> said = lines_of(arrival.out);
  if (!arrival.ok() || said.size() < 4) {
    refuse(options, "no folder could be made there: " + escape_name(arrival.err));
  }
  place.system = said[0];
  place.architecture = said[1];
  place.root = said[2];
  place.has_binary = said[3] == "have";
  return place;
}

void require(const RemoteResult& result, const SshOptions& options, const std::string& what) {
  if (!result.ok()) refuse(options, what + " could not be copied: " + escape_name(result.err));
}

void bring_companion(SshConnection& connection, const SshOptions& options, const Place& place,
                     const std::string& path) {
  const std::string bytes = read_file(path, kLargestBinary);
  const std::string called = path.substr(path.rfind('/') + 1);
  const std::string name = called + '-' + to_hex(sha256(bytes));
  const RemoteResult look = connection.run(
      script(kLook, {place.root, name, std::to_string(bytes.size())}), "", kShortCommand);
  require(look, options, called);
  if (lines_of(look.out).at(0) != "have") {
    require(connection.run(script(kReceive, {place.root, name}), bytes, kCopyTime), options,
            called);
  }
  require(connection.run(script(kLink, {place.root, place.stay, name, called}), "", kShortCommand),
          options, called);
}

void move_out(SshConnection& connection, const Place& place) {
  try {
    connection.run(script(kStay, {place.root, place.stay, "true"}), "", kShortCommand);
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

std::vector<std::string> agent_argv(const SshOptions& options, const Place& place) {
  std::vector<std::string> arguments = {place.root, place.stay, place.root + '/' + place.binary,
                                        "agent",    "--name",   options.name};
  if (!options.work_root.empty()) {
    const std::string stay = place.root + '/' + place.stay;
    arguments.insert(arguments.end(), {"--work", stay + "/work", "--store", stay + "/store"});
  }
  return script(kStay, arguments);
}

RemoteSession start_agent(SshConnection& connection, const SshOptions& options,
                          const std::string& binary) {
  const Place place = move_in(connection, options, binary);
  try {
    check_same_kind(options, place);
    if (!place.has_binary) {
      require(connection.run(script(kReceive, {place.root, place.binary}), binary, kCopyTime),
              options, "the agent");
    }
    for (const std::string& path : options.companions) {
      bring_companion(connection, options, place, path);
    }
    return connection.open(agent_argv(options, place), "agent");
  } catch (...) {
    move_out(connection, place);
    throw;
  }
}

}  // namespace

std::unique_ptr<Machine> make_ssh_machine(const SshOptions& options) {
  const std::string binary = read_file(options.agent_binary, kLargestBinary);
  const auto connection = std::make_shared<SshConnection>(options);
  connection->wait_until_ready();
  RemoteSession session = start_agent(*connection, options, binary);

  AgentLink link;
  link.to_agent = std::move(session.to_command);
  link.from_agent = std::move(session.from_command);
  link.launcher = std::move(session.ssh);
  link.early_errors = session.errors;
  link.goodbye = kGoodbye;
  // The shared login must outlive the agent's session in it.
  link.after = [connection] {};
  MachineSetup setup;
  setup.name = options.name;
  setup.kind = "ssh";
  setup.address = options.address;
  setup.connection = connection->facts();
  return std::make_unique<AgentMachine>(std::move(link), setup);
}

}  // namespace fairwire
