// The sending end of a session: lists its tree, answers wants over the data connections under
// credit. Invariant: bytes that are sent as a file were that file at one moment: stat agrees before
// and after, or the attempt is dropped and said.
#pragma once

#include "reference/directories.h"
#include "reference/transfer/credit.h"
#include "reference/transfer/send_queue.h"
#include "reference/transfer/session.h"

namespace fairsync {

class Sender {
 public:
  Sender(Session& session, FileDescriptor root)
      : session_(session), directories_(std::move(root)) {}

  /// Returns what the receiver said at its end. Throws what ended the session early.
  Done run();

 private:
  struct Listed {
    EntryId parent = 0;
    std::string name;
    uint64_t size = 0;
    bool is_file = false;
    bool is_wanted = false;
  };
  class Worker;

  void list();
  void note(const List& list);
  Done serve_control();
  void take_wants(const std::vector<Want>& wants);
  Listed listed(EntryId id);

  Session& session_;
  Directories directories_;
  Credit credit_;
  SendQueue queue_;
  std::mutex mutex_;
  std::deque<Listed> entries_;  // entry id is the index + 1
};

}  // namespace fairsync
