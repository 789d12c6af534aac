#include "reference/transfer/assembly.h"

#include "reference/content.h"
#include "reference/transfer/session.h"

namespace fairsync {

void Assembly::add(const Piece& piece) {
  if (digest_of(piece.content) != piece.digest) {
    throw ChangedError("a piece does not have the digest that came with it");
  }
  const std::shared_ptr<Incoming> file = incoming(piece.id, piece.attempt);
  if (!file) return;
  const uint64_t number = piece.offset / piece_size(piece.size);
  StagedFile* staged = nullptr;
  {
    const std::lock_guard lock(file->mutex);
    begin(*file, piece);
    if (file->has[number]) throw ProtocolError("a piece came twice");
    file->has[number] = true;
    file->digests[number] = piece.digest;
    staged = file->file.get();
  }
  staged->write_at(piece.content, piece.offset);  // `file` keeps it, also when it is dropped
  {
    const std::lock_guard lock(file->mutex);
    file->written += piece.content.size();
  }
  land_when_whole(piece.id, file);
}

void Assembly::end(const FileEnd& end) {
  const std::shared_ptr<Incoming> file = incoming(end.id, end.attempt);
  if (!file) return;
  {
    const std::lock_guard lock(file->mutex);
    if (file->end || (file->file && file->size != end.size)) {
      throw ProtocolError("the end of a file does not agree with its pieces");
    }
    file->end = end;
  }
  land_when_whole(end.id, file);
}

void Assembly::drop(const FileDropped& dropped) {
  if (!wanted_.find(dropped.id)) return;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Incoming>& file = files_[dropped.id];
  if (file && file->attempt > dropped.attempt) return;
  file = std::make_shared<Incoming>();
  file->attempt = static_cast<uint8_t>(dropped.attempt + 1);
}

void Assembly::give_up(EntryId id) {
  const std::lock_guard lock(mutex_);
  files_.erase(id);
}

// nullptr when that attempt or the whole file was dropped.
std::shared_ptr<Assembly::Incoming> Assembly::incoming(EntryId id, uint8_t attempt) {
  const std::lock_guard lock(mutex_);
  if (!wanted_.find(id)) return nullptr;
  std::shared_ptr<Incoming>& file = files_[id];
  if (!file || file->attempt < attempt) {
    file = std::make_shared<Incoming>();
    file->attempt = attempt;
  }
  return file->attempt == attempt ? file : nullptr;
}

void Assembly::begin(Incoming& incoming, const Piece& piece) {
  if (incoming.file) {
    if (incoming.size != piece.size) throw ProtocolError("pieces of one file differ in its size");
    return;
  }
  if (incoming.end && incoming.end->size != piece.size) {
    throw ProtocolError("a piece does not agree with the end of its file");
  }
  incoming.file = landing_.stage();
  incoming.size = piece.size;
  incoming.digests.resize(piece_count(piece.size));
  incoming.has.resize(piece_count(piece.size));
}

void Assembly::land_when_whole(EntryId id, const std::shared_ptr<Incoming>& incoming) {
  std::unique_ptr<StagedFile> whole;
  {
    const std::lock_guard lock(incoming->mutex);
    if (!incoming->end || !incoming->file || incoming->written != incoming->size) return;
    if (digest_of_pieces(incoming->digests) != incoming->end->digest) {
      throw ChangedError("a file does not have the digest that came with it");
    }
    whole = std::move(incoming->file);
  }
  {
    const std::lock_guard lock(mutex_);
    files_.erase(id);
  }
  landing_.land(id, std::move(whole), incoming->end->attributes, incoming->size);
}

}  // namespace fairsync
