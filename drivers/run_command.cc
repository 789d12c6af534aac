#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/error.h"
#include "drivers/interrupt.h"
#include "drivers/quiet_write.h"
#include "drivers/subprocess.h"

namespace fairwire {
namespace {

constexpr size_t kKeptOutput = size_t{1} << 20;

void make_nonblocking(const FileDescriptor& fd) {
  check_system(::fcntl(fd.get(), F_SETFL, O_NONBLOCK), "fcntl");
}

// One stream of the command. Bytes past the limit are read and dropped, so that it never blocks.
struct Output {
  FileDescriptor pipe;
  std::string* kept;

  void drain() {
    std::byte buffer[65536];
    while (pipe.is_open()) {
      const ssize_t count = ::read(pipe.get(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return pipe.close();
      const size_t room = kKeptOutput - std::min(kKeptOutput, kept->size());
      kept->append(reinterpret_cast<const char*>(buffer),
                   std::min(room, static_cast<size_t>(count)));
    }
  }
};

struct Input {
  FileDescriptor pipe;
  std::string_view left;

  void feed() {
    while (pipe.is_open() && !left.empty()) {
      const ssize_t count = quiet_write(pipe.get(), left);
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) break;  // the command closed its stdin: its exit code tells
      left.remove_prefix(static_cast<size_t>(count));
    }
    pipe.close();
  }
};

// A negative descriptor is skipped by poll, so closed streams stay in the table.
int poll_streams(const Subprocess& child, const Input& in, const Output& out, const Output& err,
                 Nanoseconds left) {
  std::array<pollfd, 4> table{{{child.pidfd(), POLLIN, 0},
                               {in.pipe.get(), POLLOUT, 0},
                               {out.pipe.get(), POLLIN, 0},
                               {err.pipe.get(), POLLIN, 0}}};
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  const int timeout = static_cast<int>(std::clamp<int64_t>(ms, 0, 1'000'000'000));
  return ::poll(table.data(), table.size(), timeout);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, const std::string& input,
                          Nanoseconds timeout) {
  CommandResult result;
  Pipe to_child = make_pipe();
  Pipe from_child = make_pipe();
  Pipe errors = make_pipe();
  SpawnOptions options;
  options.argv = argv;
  options.inherit_environment = true;
  options.stdin_fd = input.empty() ? -1 : to_child.read_end.get();
  options.stdout_fd = from_child.write_end.get();
  options.stderr_fd = errors.write_end.get();
  Subprocess child(options);
  to_child.read_end.close();
  from_child.write_end.close();
  errors.write_end.close();
  Input in{std::move(to_child.write_end), input};
  Output out{std::move(from_child.read_end), &result.out};
  Output err{std::move(errors.read_end), &result.err};
  for (const FileDescriptor* fd : {&in.pipe, &out.pipe, &err.pipe}) make_nonblocking(*fd);

  const Nanoseconds until = monotonic_now() + timeout;
  std::optional<ExitStatus> ended;
  while (!ended) {
    in.feed();
    if (poll_streams(child, in, out, err, until - monotonic_now()) < 0) {
      if (errno != EINTR) throw_system_error("poll");
      check_interrupted();
    }
    ended = child.wait(Nanoseconds::zero());
    if (!ended && monotonic_now() >= until) {
      result.timed_out = true;
      child.signal_group(SIGKILL);
      ended = child.wait(Nanoseconds(-1));
    }
    out.drain();
    err.drain();
  }
  result.status = *ended;
  return result;
}

}  // namespace fairwire
