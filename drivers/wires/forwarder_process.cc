#include "drivers/wires/forwarder_process.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <csignal>

#include "base/error.h"
#include "base/log.h"
#include "drivers/quiet_write.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kPatience = std::chrono::seconds(10);
constexpr Nanoseconds kGoodbye = std::chrono::seconds(2);
constexpr int kPipeBytes = 1 << 20;  // a whole answer fits: the forwarder never waits for us
constexpr size_t kMostAnswer = 1 << 20;

// A group of its own, so that its CPU is nobody else's and sweep finds it after kill -9.
std::optional<ControlGroup> wire_group(const std::string& token) {
  for (const char* kind : {"cgroup2", "cpuacct"}) {
    const auto own = writable_own_group(kind);
    if (own) return std::make_optional<ControlGroup>(*own + "/fairwire-" + token + "-wire");
  }
  return std::nullopt;
}

}  // namespace

ForwarderProcess::ForwarderProcess(const ForwarderOptions& options, const std::string& self_binary,
                                   const std::string& token)
    : group_(wire_group(token)) {
  Pipe to = make_pipe();
  Pipe from = make_pipe();
  ::fcntl(from.write_end.get(), F_SETPIPE_SZ, kPipeBytes);
  SpawnOptions spawn;
  spawn.argv = {self_binary, "forward", to_json(options).dump()};
  spawn.inherit_environment = true;
  spawn.environment = {{"FAIRWIRE_TOKEN", token}};
  spawn.stdin_fd = to.read_end.get();
  spawn.stdout_fd = from.write_end.get();
  spawn.parent_death_signal = SIGKILL;
  if (group_) spawn.cgroup_procs = {group_->path() + "/cgroup.procs"};
  process_.emplace(spawn);
  to_ = std::move(to.write_end);
  from_ = std::move(from.read_end);
  from.write_end.close();
  greet();
}

ForwarderProcess::~ForwarderProcess() {
  to_.close();
  try {
    if (!process_->wait(kGoodbye)) log_warning("the wire's forwarder is killed: it did not end");
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void ForwarderProcess::check(Nanoseconds within) {
  if (process_->wait(within)) throw ProtocolError("the wire's forwarder is gone");
}

Json ForwarderProcess::ask(const Json& request) {
  const std::string line = request.dump() + "\n";  // within PIPE_BUF: whole, or not at all
  if (quiet_write(to_.get(), line) != static_cast<ssize_t>(line.size())) {
    throw ProtocolError("the wire's forwarder is gone");
  }
  return next_line();
}

void ForwarderProcess::greet() {
  greeting_ = next_line();
  if (const Json* failed = greeting_.find("failed")) {
    throw ProtocolError("the emulated wire (needs root and /dev/net/tun): " + *failed->if_string());
  }
}

Json ForwarderProcess::next_line() {
  const Nanoseconds until = monotonic_now() + kPatience;
  size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now());
    pollfd watched{from_.get(), POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    std::byte buffer[4096];
    if (ready <= 0) throw ProtocolError("the wire's forwarder does not answer");
    const size_t count = from_.read_some(buffer);
    if (count == 0) throw ProtocolError("the wire's forwarder is gone");
    read_.append(reinterpret_cast<const char*>(buffer), count);
    if (read_.size() > kMostAnswer) throw ProtocolError("the wire's forwarder says too much");
  }
  const Json line = Json::parse(read_.substr(0, end), "forwarder");
  read_.erase(0, end + 1);
  return line;
}

}  // namespace fairwire
