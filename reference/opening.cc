#include "reference/opening.h"

#include <sys/random.h>

#include <future>

namespace fairsync {
namespace {

constexpr size_t kMaxParties = 64;

SessionId random_session() {
  SessionId session;
  const ssize_t count = check_system(::getrandom(session.data(), session.size(), 0), "getrandom");
  if (static_cast<size_t>(count) != session.size()) throw std::runtime_error("no random bytes");
  return session;
}

std::unique_ptr<Channel> open_connection(const Address& address, const TlsContext& context,
                                         const FrameBuilder& greeting) {
  auto stream = std::make_unique<TlsStream>(context, dial(address, kHandshakeTime));
  stream->handshake(kHandshakeTime);
  auto channel = std::make_unique<Channel>(std::move(stream));
  channel->send(greeting);
  check_hello(receive_opening(*channel));
  const Frame answer = receive_opening(*channel);
  if (answer.type != FrameType::accept) throw ProtocolError("no answer where ACCEPT belongs");
  return channel;
}

}  // namespace

Frame receive_opening(Channel& channel) {
  // Twice the time: the other end waits for connections of ours within its own.
  const std::optional<Frame> frame = channel.receive(kOpeningLimit, 2 * kHandshakeTime);
  if (!frame) throw ProtocolError("the other end closed the connection while it was opened");
  if (frame->type != FrameType::error) return *frame;
  throw PeerError("the other end: " + read_error(frame->payload).text);
}

void check_hello(const Frame& frame) {
  if (frame.type != FrameType::hello) throw ProtocolError("the other end does not say HELLO");
  const uint16_t version = read_hello(frame.payload);
  if (version == kProtocolVersion) return;
  throw ProtocolError("the other end speaks protocol " + std::to_string(version) +
                      ", this one protocol " + std::to_string(kProtocolVersion));
}

Connections open_session(const Address& address, const TlsContext& context, Open open) {
  open.session = random_session();
  std::vector<std::future<std::unique_ptr<Channel>>> opening;
  for (size_t i = 0; i <= open.connections; ++i) {
    FrameBuilder greeting;
    put_hello(greeting);
    if (i == 0) {
      put_open(greeting, open);
    } else {
      put_join(greeting, {open.session, static_cast<uint8_t>(i - 1)});
    }
    opening.push_back(std::async(std::launch::async, [&address, &context, greeting] {
      return open_connection(address, context, greeting);
    }));
  }
  Connections connections;
  connections.control = opening.front().get();
  for (size_t i = 1; i < opening.size(); ++i) connections.data.push_back(opening[i].get());
  return connections;
}

void MeetingPoint::join(const Join& join, std::unique_ptr<Channel> channel) {
  {
    const std::lock_guard lock(mutex_);
    forget_old();
    if (!parties_.contains(join.session) && parties_.size() >= kMaxParties) {
      throw ProtocolError("too many sessions are being opened");
    }
    auto& channels = parties_[join.session].channels;
    if (!channels.try_emplace(join.index, std::move(channel)).second) {
      throw ProtocolError("a data connection came twice");
    }
  }
  came_.notify_all();
}

std::vector<std::unique_ptr<Channel>> MeetingPoint::meet(const Open& open) {
  std::unique_lock lock(mutex_);
  forget_old();
  if (parties_[open.session].is_open) throw ProtocolError("the session is open already");
  parties_[open.session].is_open = true;
  const bool all_came = came_.wait_for(lock, kHandshakeTime, [&] {
    return parties_[open.session].channels.size() >= open.connections;
  });
  auto channels = std::move(parties_[open.session].channels);
  parties_.erase(open.session);
  if (!all_came || channels.rbegin()->first != open.connections - 1) {
    throw ProtocolError("the data connections of the session did not come");
  }
  std::vector<std::unique_ptr<Channel>> in_order;
  for (auto& [index, channel] : channels) in_order.push_back(std::move(channel));
  return in_order;
}

void MeetingPoint::forget_old() {
  const Time now = std::chrono::steady_clock::now();
  std::erase_if(parties_, [&](const auto& item) {
    return !item.second.is_open && now - item.second.since > kHandshakeTime;
  });
}

}  // namespace fairsync
