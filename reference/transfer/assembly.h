// Files that arrive in pieces, over several connections and in any order.
// Invariant: a piece was checked before it is written, each is written once, and a file leaves for
// landing when all pieces are there and its FILE_END agrees with them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "reference/transfer/landing.h"

namespace fairsync {

class Assembly {
 public:
  Assembly(Landing& landing, Wanted& wanted) : landing_(landing), wanted_(wanted) {}

  /// Of any data connection. Throws ProtocolError, ChangedError for a wrong digest, SystemError.
  void add(const Piece& piece);
  void end(const FileEnd& end);
  void drop(const FileDropped& dropped);
  void give_up(EntryId id);

 private:
  struct Incoming {
    uint8_t attempt = 1;
    std::mutex mutex;
    std::unique_ptr<StagedFile> file;  // from the first piece on
    uint64_t size = 0;
    std::vector<Digest> digests;
    std::vector<bool> has;
    uint64_t written = 0;  // bytes
    std::optional<FileEnd> end;
  };

  std::shared_ptr<Incoming> incoming(EntryId id, uint8_t attempt);
  void begin(Incoming& incoming, const Piece& piece);
  void land_when_whole(EntryId id, const std::shared_ptr<Incoming>& incoming);

  Landing& landing_;
  Wanted& wanted_;
  std::mutex mutex_;
  std::unordered_map<EntryId, std::shared_ptr<Incoming>> files_;
};

}  // namespace fairsync
