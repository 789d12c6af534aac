#include "reference/transfer/sender.h"

#include "reference/say.h"
#include "reference/transfer/worker.h"
#include "reference/tree.h"

namespace fairsync {
namespace {

constexpr size_t kListBytes = size_t{32} << 10;  // small folders share a write

}  // namespace

Done Sender::run() {
  Done done;
  {
    std::vector<std::jthread> threads;
    threads.push_back(session_.start([this] { list(); }));
    for (size_t i = 0; i < session_.data_count(); ++i) {
      threads.push_back(session_.start([this, i] { Worker(*this, session_.data(i)).run(); }));
    }
    try {
      done = serve_control();
    } catch (...) {
      session_.fail(std::current_exception());
    }
    session_.stop();
  }
  session_.rethrow_failure();
  FrameBuilder bye;
  put_empty(bye, FrameType::bye);
  session_.control().send(bye);
  session_.receive_control();  // the receiver closes
  return done;
}

void Sender::list() {
  FrameBuilder out;
  const auto send = [&] {
    session_.control().send(out);
    out.clear();
  };
  bool is_first = true;
  const ListEnd end = list_tree(directories_, [&](const List& list, EntryId) {
    note(list);
    put_list(out, list);
    if (is_first || out.size() >= kListBytes) send();
    is_first = false;
  });
  put_list_end(out, end);
  send();
}

void Sender::note(const List& list) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : list.entries) {
    const bool is_file = entry.kind == EntryKind::file;
    entries_.push_back(
        {list.directory, is_file ? entry.name : std::string(), entry.size, is_file, false});
  }
}

Done Sender::serve_control() {
  while (std::optional<Frame> frame = session_.receive_control()) {
    switch (frame->type) {
      case FrameType::want:
        take_wants(read_wants(frame->payload));
        break;
      case FrameType::credit:
        credit_.add(read_credit(frame->payload));
        break;
      case FrameType::done:
        return read_done(frame->payload);
      default:
        throw ProtocolError("the receiver said what only a sender says");
    }
  }
  throw ProtocolError("the receiver closed the connection before its end");
}

void Sender::take_wants(const std::vector<Want>& wants) {
  std::vector<SizedWant> sized;
  sized.reserve(wants.size());
  {
    const std::lock_guard lock(mutex_);
    for (const Want& want : wants) {
      const bool is_listed = want.id >= 1 && want.id <= entries_.size();
      if (!is_listed || !entries_[want.id - 1].is_file || entries_[want.id - 1].is_wanted) {
        throw ProtocolError("the receiver wants what is no file or was wanted before");
      }
      entries_[want.id - 1].is_wanted = true;
      sized.push_back({want, entries_[want.id - 1].size});
    }
  }
  queue_.add(std::move(sized));
}

Sender::Listed Sender::listed(EntryId id) {
  const std::lock_guard lock(mutex_);
  return entries_[id - 1];
}

}  // namespace fairsync
