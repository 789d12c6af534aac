#include "drivers/agent/agent_connection.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/log.h"
#include "drivers/interrupt.h"
#include "drivers/quiet_write.h"

namespace fairwire {
namespace {

constexpr size_t kQuotedErrors = 4096;
// A signal may arrive between the check and poll: look again now and then.
constexpr std::chrono::milliseconds kInterruptCheck{250};

void make_nonblocking(const FileDescriptor& fd) {
  if (!fd.is_open()) return;
  const int flags = check_system(::fcntl(fd.get(), F_GETFL), "fcntl");
  check_system(::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK), "fcntl");
}

// True when the descriptor is ready; false at `until` or after an interruption.
bool poll_one(int fd, short events, Nanoseconds until) {
  pollfd entry{fd, events, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now()).count();
  const int ready =
      ::poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000'000)));
  if (ready < 0 && errno != EINTR) throw_system_error("poll");
  return ready > 0;
}

}  // namespace

AgentMachine::Connection::Connection(AgentLink link, std::string machine)
    : link_(std::move(link)), machine_(std::move(machine)) {
  make_nonblocking(link_.to_agent);
}

AgentMachine::Connection::~Connection() {
  try {
    say_goodbye();
  } catch (const std::exception& error) {
    log_warning(where() + error.what());
  }
}

void AgentMachine::Connection::say_goodbye() {
  link_.to_agent.close();
  link_.from_agent.close();
  if (link_.launcher && !link_.launcher->wait(link_.goodbye)) {
    log_warning("machine " + machine_ + ": its agent does not end; it is killed");
  }
  link_.launcher.reset();
  if (link_.after) link_.after();
}

std::string AgentMachine::Connection::where() const {
  return "machine " + machine_ + ": " + doing_ + ": ";
}

std::string AgentMachine::Connection::last_errors() const {
  if (link_.early_errors.empty()) return {};
  const FileDescriptor file(::open(link_.early_errors.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::array<char, kQuotedErrors> buffer;
  const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(buffer.size()));
  const ssize_t count = ::pread(file.get(), buffer.data(), buffer.size(), begin);
  std::string text(buffer.data(), count > 0 ? static_cast<size_t>(count) : 0);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void AgentMachine::Connection::fail(const std::string& reason) {
  std::string message = where() + reason;
  // An agent that has just ended may still be writing its last words through the launcher.
  if (link_.launcher) link_.launcher->wait(std::chrono::milliseconds(200));
  if (const std::string errors = last_errors(); !errors.empty()) {
    message += "; its stderr: " + printable(errors);
  }
  failure_ = message;
  throw ProtocolError(message);
}

void AgentMachine::Connection::send(const std::string& line, Nanoseconds until) {
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t count = quiet_write(link_.to_agent.get(), left);
    if (count >= 0) {
      left.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      poll_one(link_.to_agent.get(), POLLOUT, until);
      if (monotonic_now() >= until) fail("the agent takes no calls");
    } else {
      fail(errno == EPIPE ? "the agent has gone" : SystemError("write", "", errno).what());
    }
  }
}

std::string AgentMachine::Connection::receive(Nanoseconds until, bool interruptible) {
  std::array<std::byte, 65536> buffer;
  while (true) {
    if (auto line = reader_.next()) return *line;
    if (interruptible) check_interrupted();
    const Nanoseconds look = interruptible ? monotonic_now() + kInterruptCheck : until;
    if (!poll_one(link_.from_agent.get(), POLLIN, std::min(look, until))) {
      if (monotonic_now() >= until) fail("no answer in time");
      continue;
    }
    const size_t count = link_.from_agent.read_some(buffer);
    if (count == 0) {
      const std::string& said = reader_.rest();
      fail("the agent has gone" +
           (said.empty() ? "" : "; it said: " + printable(said.substr(0, 500))));
    }
    try {
      reader_.feed(std::string_view(reinterpret_cast<const char*>(buffer.data()), count));
    } catch (const ProtocolError& error) {
      fail(error.what());
    }
  }
}

Json AgentMachine::Connection::hello(Nanoseconds timeout) {
  const std::string line = receive(monotonic_now() + timeout, true);
  try {
    return Json::parse(line, "hello");
  } catch (const FormatError&) {
    fail("instead of a hello it said: " + printable(line.substr(0, 500)));
  }
}

Json AgentMachine::Connection::call(std::string_view method, Json params, Nanoseconds timeout,
                                    bool interruptible) {
  if (!failure_.empty()) throw ProtocolError(failure_);
  if (interruptible) check_interrupted();
  doing_ = method;
  Json message = Json::object({{"id", ++last_id_}, {"call", method}});
  if (const auto* members = params.if_object()) {
    for (const auto& [key, value] : *members) message.set(key, value);
  }
  const Nanoseconds until = monotonic_now() + timeout;
  send(to_line(message), until);
  while (true) {
    const std::string line = receive(until, interruptible);
    AgentAnswer answer;
    try {
      answer = parse_answer(line, "answer");
    } catch (const FormatError& error) {
      fail(error.what());
    }
    // The answer to a call that was given up (interrupted) comes late: it is nobody's.
    if (answer.id && *answer.id < last_id_) continue;
    if (answer.id && *answer.id > last_id_) fail("an answer to no call");
    if (answer.failed) throw_agent_error(JsonView(answer.error, "answer"), where());
    if (!answer.id) fail("an answer without an id");
    return std::move(answer.ok);
  }
}

}  // namespace fairwire
