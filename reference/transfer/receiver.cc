#include "reference/transfer/receiver.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "reference/content.h"
#include "reference/say.h"

namespace fairsync {
namespace {

constexpr size_t kListingsAhead = 64;  // messages that wait for the planner
constexpr uint64_t kCreditStep = uint64_t{4} << 20;

FileDescriptor locked(FileDescriptor root) {
  check_system(::flock(root.get(), LOCK_EX | LOCK_NB), "lock the folder, another transfer has");
  return root;
}

}  // namespace

Receiver::Receiver(Session& session, FileDescriptor root, Durable durable,
                   ReceiveCounters& counters)
    : session_(session),
      counters_(counters),
      directories_(locked(std::move(root))),
      landing_(directories_, wanted_, durable),
      assembly_(landing_, wanted_),
      planner_(session, directories_, wanted_, landing_) {}

Done Receiver::run() {
  Done done;
  {
    std::vector<std::jthread> threads;
    threads.push_back(session_.start([this] { read_control(); }));
    for (size_t i = 0; i < session_.data_count(); ++i) {
      threads.push_back(session_.start([this, i] { receive_data(session_.data(i)); }));
    }
    threads.push_back(session_.start([this] { landing_.run_batches(session_.token()); }));
    try {
      plan();
      if (wanted_.wait_until_none(session_.token())) {
        landing_.remove_staging();
        planner_.finish();
        landing_.sync_all();
        done = wanted_.totals();
        send_done(done);
      }
    } catch (...) {
      session_.fail(std::current_exception());
    }
    session_.stop();
  }
  session_.rethrow_failure();
  return done;
}

void Receiver::send_done(const Done& done) {
  session_.finish();
  FrameBuilder out;
  put_done(out, done);
  session_.control().send(out);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, session_.token(), [this] { return has_said_bye_; });
}

void Receiver::read_control() {
  while (std::optional<Frame> frame = session_.receive_control()) {
    if (frame->type == FrameType::bye) {
      read_empty(frame->payload);
      if (!session_.is_finished()) throw ProtocolError("the sender left before the end");
      {
        const std::lock_guard lock(mutex_);
        has_said_bye_ = true;
      }
      return changed_.notify_all();
    }
    handle(*frame);
  }
  throw ProtocolError("the sender closed the connection before its end");
}

void Receiver::handle(const Frame& frame) {
  switch (frame.type) {
    case FrameType::list:
      return pass_on(read_list(frame.payload));
    case FrameType::list_end:
      return pass_on(read_list_end(frame.payload));
    case FrameType::same:
      for (const EntryId id : read_same(frame.payload)) take_same(id);
      return;
    case FrameType::file_end:
      return assembly_.end(read_file_end(frame.payload));
    case FrameType::file_dropped:
      return assembly_.drop(read_file_dropped(frame.payload));
    case FrameType::file_failed:
      return take_failed(read_file_failed(frame.payload));
    default:
      throw ProtocolError("the sender said what only a receiver says");
  }
}

void Receiver::pass_on(Listing listing) {
  std::unique_lock lock(mutex_);
  const bool has_room =
      changed_.wait(lock, session_.token(), [this] { return listings_.size() < kListingsAhead; });
  if (has_room) listings_.push_back(std::move(listing));
  lock.unlock();
  changed_.notify_all();
}

void Receiver::plan() {
  while (!planner_.is_complete()) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, session_.token(), [this] { return !listings_.empty(); })) return;
    const Listing listing = std::move(listings_.front());
    listings_.pop_front();
    lock.unlock();
    changed_.notify_all();
    std::visit([this](const auto& message) { planner_.take(message); }, listing);
  }
}

void Receiver::receive_data(Channel& data) {
  while (true) {
    std::optional<Frame> frame;
    try {
      frame = data.receive(kDataLimit);
    } catch (const std::exception&) {
      if (session_.is_finished()) return;
      throw;
    }
    if (!frame && session_.is_finished()) return;
    if (!frame) throw ProtocolError("the sender closed a data connection before the end");
    if (frame->type == FrameType::bundle) {
      take_bundle(frame->payload);
    } else if (frame->type == FrameType::piece) {
      const Piece piece = read_piece(frame->payload);
      assembly_.add(piece);
      counters_.blocks.fetch_add(1, std::memory_order_relaxed);
      counters_.content_bytes.fetch_add(piece.content.size(), std::memory_order_relaxed);
    } else {
      throw ProtocolError("no data on a data connection");
    }
    give_credit(kFrameHeader + frame->payload.size());
  }
}

void Receiver::take_bundle(Bytes payload) {
  for (const BundledFile& bundled : read_bundle(payload)) {
    const std::optional<WantedFile> wanted = wanted_.find(bundled.id);
    if (!wanted) continue;
    if (digest_of(bundled.content) != bundled.digest) {
      throw ChangedError("a file does not have the digest that came with it");
    }
    std::unique_ptr<StagedFile> file = landing_.stage();
    file->write_at(bundled.content, 0);
    landing_.land(bundled.id, std::move(file), bundled.attributes, bundled.size);
    if (bundled.size > 0) counters_.blocks.fetch_add(1, std::memory_order_relaxed);
    counters_.content_bytes.fetch_add(bundled.size, std::memory_order_relaxed);
    counters_.files.fetch_add(1, std::memory_order_relaxed);
  }
}

void Receiver::give_credit(uint64_t bytes) {
  if (owed_.fetch_add(bytes) + bytes < kCreditStep) return;
  const uint64_t owed = owed_.exchange(0);
  if (owed == 0) return;  // another thread was first
  FrameBuilder out;
  put_credit(out, owed);
  session_.control().send(out);
}

void Receiver::take_same(EntryId id) {
  const std::optional<WantedFile> wanted = wanted_.find(id);
  if (!wanted) return;
  if (!wanted->is_held) throw ProtocolError("the sender takes for the same what is not there");
  Fate fate = Fate::same;
  try {
    if (wanted->mode_when_same) {
      const FileDescriptor file(
          check_system(::openat(directories_.open(wanted->parent)->get(), wanted->name.c_str(),
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                       "open"));
      check_system(::fchmod(file.get(), *wanted->mode_when_same), "chmod");
    }
  } catch (const SystemError& error) {
    say(directories_.path(wanted->parent, wanted->name) + ": " + error.what());
    fate = Fate::failed;
  }
  wanted_.resolve(id, fate);
}

void Receiver::take_failed(const FileFailed& failed) {
  const std::optional<WantedFile> wanted = wanted_.find(failed.id);
  if (!wanted) throw ProtocolError("a file has failed twice");
  say(directories_.path(wanted->parent, wanted->name) + ": at the source: " + failed.text);
  assembly_.give_up(failed.id);
  wanted_.resolve(failed.id,
                  failed.reason == FailReason::unreadable ? Fate::failed : Fate::changed);
}

}  // namespace fairsync
