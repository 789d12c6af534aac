#include "drivers/machines/ssh_connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "drivers/interrupt.h"
#include "drivers/machines/remote_frame.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

constexpr Nanoseconds kLoginTime = std::chrono::seconds(30);
constexpr Nanoseconds kFirstBackOff = std::chrono::milliseconds(100);
constexpr int kLogins = 8;      // of one command; the back-offs sum up to 12.7 s
constexpr int kGoodLogins = 3;  // in a row, of a machine that is being created
constexpr Nanoseconds kBetweenLogins = std::chrono::seconds(1);
constexpr int kAtOnce = 4;  // sessions in one login; sshd's MaxSessions is 10
constexpr size_t kMostNoise = size_t{1} << 20;
constexpr const char* kNoSharing = "none";

void pause(Nanoseconds duration) {
  SystemClock().sleep(duration);
  check_interrupted();
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of(" \r\n");
  if (end == text.npos) return "ssh said nothing";
  const size_t before = text.find_last_of("\r\n", end);
  const size_t start = before == text.npos ? 0 : before + 1;
  return text.substr(start, end + 1 - start);
}

// Byte by byte, so that nothing of what follows the opening line is taken from the reader after
// us. nullopt at end of file, too much noise, or no line within the time.
std::optional<std::string> read_noise(const FileDescriptor& from, const std::string& opening,
                                      Nanoseconds timeout) {
  const Nanoseconds until = monotonic_now() + timeout;
  std::string text;
  while (!text.ends_with(opening)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now());
    pollfd watched{from.get(), POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    check_interrupted();
    if (ready < 0 && errno == EINTR) continue;
    std::byte byte[1];
    if (ready <= 0 || text.size() >= kMostNoise || from.read_some(byte) == 0) return std::nullopt;
    text += static_cast<char>(byte[0]);
  }
  text.resize(text.size() - opening.size());
  return text;
}

class Slot {
 public:
  explicit Slot(std::counting_semaphore<>& slots) : slots_(slots) { slots_.acquire(); }
  ~Slot() { slots_.release(); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::counting_semaphore<>& slots_;
};

std::string unique_mark(const SshOptions& options) {
  const std::string seed = owner_token() + options.name + std::to_string(monotonic_now().count());
  return "fairwire-" + to_hex(sha256(seed)).substr(0, 24);
}

}  // namespace

SshConnection::SshConnection(const SshOptions& options)
    : options_(options),
      config_(options.run_folder + "/ssh-" + options.name + ".conf"),
      known_hosts_(options.run_folder + "/known_hosts-" + options.name),
      control_(control_path(options)),
      mark_(unique_mark(options)),
      slots_(control_.empty() ? 1 : kAtOnce) {
  check_ssh_options(options);
  make_directories(options.run_folder, 0700);
  if (!control_.empty()) make_directories(control_.substr(0, control_.rfind('/')), 0700);
  if (!options.host_key.empty()) {
    write_file(known_hosts_, options.name + ' ' + options.host_key + '\n', 0600);
  }
  key_was_known_ = ::access(known_hosts_.c_str(), F_OK) == 0;
  write_file(config_, ssh_config_text(options, known_hosts_), 0600);
}

SshConnection::~SshConnection() {
  try {
    close_shared_login();
    if (!control_.empty()) {
      ::unlink(control_.c_str());
      ::rmdir(control_.substr(0, control_.rfind('/')).c_str());  // unless others use it
    }
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

void SshConnection::wait_until_ready() {
  const Nanoseconds start = monotonic_now();
  if (options_.boot_window > Nanoseconds::zero()) wait_for_boot();
  if (!run({"true"}, "", kLoginTime).ok()) {
    throw ProtocolError("machine " + options_.name + ": its shell cannot run the command \"true\"");
  }
  ready_after_ = monotonic_now() - start;
  if (!noise_.empty()) log_warning("machine " + options_.name + ": " + describe_noise(noise_));
}

// Fresh logins, since a shared one survives the restart of sshd that may still be to come.
void SshConnection::wait_for_boot() {
  const Nanoseconds until = monotonic_now() + options_.boot_window;
  for (int in_row = 0; in_row < kGoodLogins;) {
    const auto attempt = try_run(kNoSharing, {"true"}, "", kLoginTime);
    if (attempt.result) {
      ++in_row;
    } else {
      in_row = 0;
      const bool final = ssh_failure_from(attempt.errors) == SshFailure::host_key;
      if (final || monotonic_now() >= until) fail(attempt);
    }
    if (in_row < kGoodLogins) pause(kBetweenLogins);
  }
}

std::vector<std::string> SshConnection::ssh_argv(const std::string& control, bool master,
                                                 const std::string& command) const {
  std::string socket;
  for (const char c : control) socket += c == '%' ? "%%" : std::string(1, c);
  std::vector<std::string> argv = {"ssh", "-F", config_, "-S", socket};
  if (master) argv.insert(argv.end(), {"-o", "ControlMaster=yes"});
  argv.insert(argv.end(), {"--", options_.name, command});
  return argv;
}

SshConnection::Attempt<RemoteResult> SshConnection::try_run(const std::string& control,
                                                            const std::vector<std::string>& argv,
                                                            const std::string& input,
                                                            Nanoseconds timeout) const {
  const std::string command = framed_command(mark_, argv, true);
  CommandResult ssh = run_command(ssh_argv(control, false, command), input, timeout);
  Attempt<RemoteResult> attempt;
  attempt.timed_out = ssh.timed_out;
  if (auto framed = read_frame(mark_, ssh.out)) {
    attempt.result = RemoteResult{framed->exit_code, std::move(framed->out), std::move(ssh.err),
                                  std::move(framed->noise)};
  } else {
    attempt.errors = std::move(ssh.err);
  }
  return attempt;
}

SshConnection::Attempt<RemoteSession> SshConnection::try_open(const std::string& control,
                                                              bool master,
                                                              const std::vector<std::string>& argv,
                                                              const std::string& label) const {
  RemoteSession session;
  session.errors = options_.run_folder + "/ssh-" + options_.name + '-' + label + ".err";
  const FileDescriptor errors = open_file(session.errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  Pipe to = make_pipe();
  Pipe from = make_pipe();
  SpawnOptions options;
  options.argv = ssh_argv(control, master, framed_command(mark_, argv, false));
  options.inherit_environment = true;
  options.stdin_fd = to.read_end.get();
  options.stdout_fd = from.write_end.get();
  options.stderr_fd = errors.get();
  session.ssh = std::make_unique<Subprocess>(options);
  session.to_command = std::move(to.write_end);
  session.from_command = std::move(from.read_end);
  to.read_end.close();
  from.write_end.close();

  Attempt<RemoteSession> attempt;
  if (auto noise = read_noise(session.from_command, opening_line(mark_), kLoginTime)) {
    session.noise = std::move(*noise);
    attempt.result = std::move(session);
  } else {
    attempt.timed_out = !session.ssh->wait(std::chrono::milliseconds(100)).has_value();
    attempt.errors = read_file(session.errors, kMostNoise);
  }
  return attempt;
}

template <typename Try>
auto SshConnection::patiently(const Try& attempt) const {
  Nanoseconds back_off = kFirstBackOff;
  for (int login = 1;; ++login, back_off *= 2) {
    auto outcome = attempt();
    if (outcome.result) return std::move(*outcome.result);
    const bool again = ssh_failure_from(outcome.errors) == SshFailure::closed_early;
    if (!again || login == kLogins) fail(outcome);
    pause(back_off);
  }
}

template <typename Result>
void SshConnection::fail(const Attempt<Result>& attempt) const {
  const std::string where = "machine " + options_.name + ": ssh to " + options_.host + " port " +
                            std::to_string(options_.port) + ": ";
  if (attempt.timed_out) throw ProtocolError(where + "no answer in time");
  throw ProtocolError(where + to_string(ssh_failure_from(attempt.errors)) + ": " +
                      escape_name(last_line(attempt.errors)));
}

RemoteResult SshConnection::run(const std::vector<std::string>& argv, const std::string& input,
                                Nanoseconds timeout) {
  const Slot slot(slots_);
  const std::string control = shared_login();
  RemoteResult result =
      patiently([&] { return try_run(control, argv, input, timeout + kLoginTime); });
  note_noise(result.noise);
  return result;
}

RemoteSession SshConnection::open(const std::vector<std::string>& argv, const std::string& label) {
  const Slot slot(slots_);
  const std::string control = shared_login();
  RemoteSession session = patiently([&] { return try_open(control, false, argv, label); });
  note_noise(session.noise);
  return session;
}

// The shared login runs cat, which ends when our end of its stdin is closed, even by kill -9.
std::string SshConnection::shared_login() {
  if (control_.empty()) return kNoSharing;
  const std::lock_guard lock(mutex_);
  if (shared_ && !shared_->ssh->wait(Nanoseconds::zero())) return control_;
  shared_.reset();
  ::unlink(control_.c_str());
  shared_ = patiently([&] { return try_open(control_, true, {"cat"}, "shared"); });
  return control_;
}

void SshConnection::close_shared_login() {
  if (!shared_) return;
  shared_->to_command.close();
  shared_->ssh->wait(std::chrono::seconds(2));
  shared_.reset();
}

void SshConnection::note_noise(const std::string& noise) {
  const std::lock_guard lock(mutex_);
  if (noise_.empty()) noise_ = noise;
}

Json SshConnection::facts() const {
  Json facts = Json::object({{"shared_login", !control_.empty()},
                             {"ready_ms", int64_t{ready_after_.count() / 1'000'000}}});
  const std::string known = read_file(known_hosts_, kMostNoise);
  const size_t space = known.find(' ');
  if (space != known.npos) {
    facts.set("host_key", known.substr(space + 1, known.find('\n') - space - 1));
  }
  const bool pinned = !options_.host_key.empty();
  facts.set("host_key_from", pinned           ? "testbed"
                             : key_was_known_ ? "earlier in this run"
                                              : "first use");
  Json notes = Json::array();
  if (control_.empty()) notes.push("no shared login: its socket's path would exceed 90 bytes");
  if (!noise_.empty()) notes.push(describe_noise(noise_));
  return facts.set("notes", notes);
}

std::string describe_noise(const std::string& noise) {
  constexpr size_t kShown = 60;
  std::string shown = escape_name(noise.substr(0, kShown));
  if (noise.size() > kShown) shown += "…";
  return "remote shell prints " + std::to_string(noise.size()) + " bytes: " + shown;
}

}  // namespace fairwire
