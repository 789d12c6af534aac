// How a session begins (docs/protocol.md, Opening), both sides: greet, check the version, bring the
// connections of one session together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "reference/transfer/session.h"
#include "reference/wire/address.h"
#include "reference/wire/messages.h"

namespace fairsync {

inline constexpr std::chrono::milliseconds kHandshakeTime(10'000);

/// Dials, proves the key and opens a session with all its connections. `open.session` is filled.
/// Throws KeyError, ProtocolError, SystemError.
Connections open_session(const Address& address, const TlsContext& context, Open open);

/// The next message while a connection is opened; throws PeerError for ERROR, ProtocolError at the
/// end.
Frame receive_opening(Channel& channel);

/// Throws ProtocolError with both numbers unless `frame` is a HELLO of our version.
void check_hello(const Frame& frame);

/// Data connections that have come and wait for the control connection of their session, or the
/// other way round.
class MeetingPoint {
 public:
  /// Throws ProtocolError when the place is taken.
  void join(const Join& join, std::unique_ptr<Channel> channel);
  /// Waits for all data connections of the session. Throws ProtocolError when they do not come.
  std::vector<std::unique_ptr<Channel>> meet(const Open& open);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Party {
    Time since = std::chrono::steady_clock::now();
    bool is_open = false;
    std::map<uint8_t, std::unique_ptr<Channel>> channels;
  };

  void forget_old();

  std::mutex mutex_;
  std::condition_variable came_;
  std::map<SessionId, Party> parties_;
};

}  // namespace fairsync
