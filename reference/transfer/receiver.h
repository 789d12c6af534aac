// The receiving end of a session. Invariant: it ends with DONE only when the listing came whole
// and every want was answered; whatever ends it earlier removes nothing and names nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <variant>

#include "reference/transfer/assembly.h"
#include "reference/transfer/planner.h"

namespace fairsync {

/// Counted as it arrives; read by the sampler.
struct ReceiveCounters {
  std::atomic<uint64_t> blocks = 0;  ///< pieces, and bundled files that have content
  std::atomic<uint64_t> content_bytes = 0;
  std::atomic<uint64_t> files = 0;
};

class Receiver {
 public:
  /// Locks the root. Throws SystemError{EWOULDBLOCK} when another transfer writes there.
  Receiver(Session& session, FileDescriptor root, Durable durable, ReceiveCounters& counters);

  Done run();

 private:
  using Listing = std::variant<List, ListEnd>;

  void read_control();
  void handle(const Frame& frame);
  void pass_on(Listing listing);
  void plan();
  void receive_data(Channel& data);
  void take_bundle(Bytes payload);
  void give_credit(uint64_t bytes);
  void take_same(EntryId id);
  void take_failed(const FileFailed& failed);
  void send_done(const Done& done);

  Session& session_;
  ReceiveCounters& counters_;
  Directories directories_;
  Wanted wanted_;
  Landing landing_;
  Assembly assembly_;
  Planner planner_;
  std::atomic<uint64_t> owed_ = 0;  // credit
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Listing> listings_;
  bool has_said_bye_ = false;
};

}  // namespace fairsync
