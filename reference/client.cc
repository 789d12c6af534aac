#include "reference/client.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "reference/counters.h"
#include "reference/opening.h"
#include "reference/say.h"
#include "reference/transfer/receiver.h"
#include "reference/transfer/sender.h"

namespace fairsync {
namespace {

FileDescriptor open_root(const TransferOptions& options) {
  const char* path = options.folder.c_str();
  if (options.direction == Direction::pull && ::mkdir(path, 0777) != 0 && errno != EEXIST) {
    throw_system_error("make", options.folder);
  }
  return fairwire::open_file(options.folder, O_RDONLY | O_DIRECTORY);
}

// Also after a failure: what was moved was moved.
class CountersFile {
 public:
  CountersFile(const TransferOptions& options, Session& session, ReceiveCounters& counters)
      : options_(options), session_(session), counters_(counters) {}
  ~CountersFile() {
    if (options_.counters_file.empty()) return;
    try {
      write_counters(options_.counters_file, options_.peer_text, counters_.blocks.load(),
                     session_.bytes_received());
    } catch (const std::exception& error) {
      say(error.what());
    }
  }
  CountersFile(const CountersFile&) = delete;
  CountersFile& operator=(const CountersFile&) = delete;

 private:
  const TransferOptions& options_;
  Session& session_;
  ReceiveCounters& counters_;
};

Done pull(const TransferOptions& options, Session& session) {
  ReceiveCounters counters;
  Progress progress(options.progress, "pulled");
  const CountersFile file(options, session, counters);
  session.watch([&] { progress.show(counters.content_bytes.load()); });
  try {
    const Done done = Receiver(session, open_root(options), options.durable, counters).run();
    session.watch(nullptr);
    progress.show(counters.content_bytes.load());
    progress.end();
    return done;
  } catch (...) {
    session.watch(nullptr);
    session.fail(std::current_exception());
    progress.end();
    throw;
  }
}

Done push(const TransferOptions& options, Session& session) {
  Progress progress(options.progress, "pushed");
  session.watch([&] { progress.show(session.bytes_sent()); });
  try {
    const Done done = Sender(session, open_root(options)).run();
    session.watch(nullptr);
    progress.end();
    return done;
  } catch (...) {
    session.watch(nullptr);
    session.fail(std::current_exception());
    progress.end();
    throw;
  }
}

}  // namespace

int transfer(const TransferOptions& options) {
  const TlsContext context(Side::client, load_key(options.key_file));
  const bool is_pull = options.direction == Direction::pull;
  if (!is_pull) open_root(options);  // a wrong folder is said before anybody is called
  Session session(open_session(options.peer, context,
                               {{}, options.direction, options.connections, options.durable}),
                  options.timeout);
  const Done done = is_pull ? pull(options, session) : push(options, session);
  if (done.failed > 0) say(std::to_string(done.failed) + " entries failed");
  return done.exit_code;
}

}  // namespace fairsync
