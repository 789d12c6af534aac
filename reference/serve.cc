#include "reference/serve.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <list>

#include "reference/opening.h"
#include "reference/say.h"
#include "reference/transfer/receiver.h"
#include "reference/transfer/sender.h"

namespace fairsync {
namespace {

constexpr size_t kMaxConnectionsAtOnce = 256;

class NotAllowed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Server {
 public:
  explicit Server(const ServeOptions& options)
      : options_(options),
        context_(Side::server, load_key(options.key_file)),
        listener_(listen_on(options.address, options.port)) {
    open_root();  // a folder that is not there is said now
  }

  [[noreturn]] void run() {
    say("serving on port " + std::to_string(port_of(listener_)));
    while (true) {
      FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::erase_if(guests_, [](const Guest& guest) { return guest.has_left.load(); });
      if (!socket.is_open()) {
        wait_after_failed_accept();
      } else if (guests_.size() < kMaxConnectionsAtOnce) {
        Guest& guest = guests_.emplace_back();
        guest.thread = std::jthread([this, &guest, fd = socket.release()] {
          receive_guest(FileDescriptor(fd));
          guest.has_left = true;
        });
      }
    }
  }

 private:
  struct Guest {
    std::atomic<bool> has_left = false;
    std::jthread thread;
  };

  static void wait_after_failed_accept() {
    if (errno == EBADF || errno == EINVAL) throw_system_error("accept");
    // Out of descriptors or memory: others must leave first.
    if (errno != EINTR && errno != ECONNABORTED) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  FileDescriptor open_root() const {
    return fairwire::open_file(options_.folder, O_RDONLY | O_DIRECTORY);
  }

  void receive_guest(FileDescriptor socket) {
    try {
      auto stream = std::make_unique<TlsStream>(context_, std::move(socket));
      stream->handshake(kHandshakeTime);
      greet(std::make_unique<Channel>(std::move(stream)));
    } catch (const std::exception& error) {
      say(error.what());
    }
  }

  void greet(std::unique_ptr<Channel> channel) {
    FrameBuilder out;
    put_hello(out);
    channel->send(out);
    out.clear();
    try {
      check_hello(receive_opening(*channel));
    } catch (const ProtocolError& error) {
      put_error(out, ErrorCode::other_version, error.what());
      channel->send(out);
      throw;
    }
    const Frame frame = receive_opening(*channel);
    if (frame.type == FrameType::join) {
      const Join join = read_join(frame.payload);
      put_empty(out, FrameType::accept);
      channel->send(out);
      return meeting_point_.join(join, std::move(channel));
    }
    if (frame.type != FrameType::open) throw ProtocolError("neither OPEN nor JOIN");
    open(read_open(frame.payload), std::move(channel));
  }

  void open(const Open& open, std::unique_ptr<Channel> channel) {
    FrameBuilder out;
    Connections connections;
    try {
      if (open.direction == Direction::push && !options_.writable) {
        throw NotAllowed("this server is not --writable");
      }
      connections.data = meeting_point_.meet(open);
    } catch (const std::exception& error) {
      const bool is_refused = dynamic_cast<const NotAllowed*>(&error) != nullptr;
      put_error(out, is_refused ? ErrorCode::not_allowed : ErrorCode::protocol, error.what());
      channel->send(out);
      throw;
    }
    put_empty(out, FrameType::accept);
    channel->send(out);
    connections.control = std::move(channel);
    Session session(std::move(connections), options_.timeout);
    try {
      run_session(session, open);
    } catch (...) {
      session.fail(std::current_exception());
      throw;
    }
  }

  void run_session(Session& session, const Open& open) {
    ReceiveCounters counters;
    const Done done = open.direction == Direction::pull
                          ? Sender(session, open_root()).run()
                          : Receiver(session, open_root(), open.durable, counters).run();
    say(std::string(open.direction == Direction::pull ? "pulled" : "pushed") + ": " +
        std::to_string(done.landed) + " landed, " + std::to_string(done.same) + " the same, " +
        std::to_string(done.failed) + " failed");
  }

  ServeOptions options_;
  TlsContext context_;
  FileDescriptor listener_;
  MeetingPoint meeting_point_;
  std::list<Guest> guests_;
};

}  // namespace

int serve(const ServeOptions& options) {
  Server(options).run();
}

}  // namespace fairsync
