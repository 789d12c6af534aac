#include <algorithm>

#include "reference/wire/messages.h"

namespace fairsync {
namespace {

void put_attributes(FrameBuilder& out, const Attributes& attributes) {
  out.u32(attributes.mode);
  out.i64(attributes.mtime_s);
  out.u32(attributes.mtime_ns);
}

void put_short_text(FrameBuilder& out, std::string_view text) {
  out.text(text.substr(0, kMaxText));
}

void put_entry(FrameBuilder& out, const Entry& entry) {
  out.u8(static_cast<uint8_t>(entry.kind));
  put_attributes(out, entry.attributes);
  out.u64(entry.size);
  out.u16(static_cast<uint16_t>(entry.name.size()));
  out.text(entry.name);
  if (entry.kind != EntryKind::symlink) return;
  out.u16(static_cast<uint16_t>(entry.target.size()));
  out.text(entry.target);
}

}  // namespace

void put_hello(FrameBuilder& out, uint16_t version) {
  out.begin(FrameType::hello);
  out.text("fairsync");
  out.u16(version);
  out.end();
}

void put_open(FrameBuilder& out, const Open& open) {
  out.begin(FrameType::open);
  out.bytes(std::as_bytes(std::span(open.session)));
  out.u8(static_cast<uint8_t>(open.direction));
  out.u8(open.connections);
  out.u8(static_cast<uint8_t>(open.durable));
  out.end();
}

void put_join(FrameBuilder& out, const Join& join) {
  out.begin(FrameType::join);
  out.bytes(std::as_bytes(std::span(join.session)));
  out.u8(join.index);
  out.end();
}

void put_error(FrameBuilder& out, ErrorCode code, std::string_view text) {
  out.begin(FrameType::error);
  out.u8(static_cast<uint8_t>(code));
  put_short_text(out, text);
  out.end();
}

void put_empty(FrameBuilder& out, FrameType type) {
  out.begin(type);
  out.end();
}

void put_list(FrameBuilder& out, const List& list) {
  out.begin(FrameType::list);
  out.u32(list.directory);
  out.u8(static_cast<uint8_t>((list.last ? 1 : 0) | (list.incomplete ? 2 : 0)));
  out.u32(static_cast<uint32_t>(list.entries.size()));
  for (const Entry& entry : list.entries) put_entry(out, entry);
  out.end();
}

void put_list_end(FrameBuilder& out, const ListEnd& end) {
  out.begin(FrameType::list_end);
  out.u32(end.entries);
  put_attributes(out, end.root);
  out.end();
}

void put_wants(FrameBuilder& out, const std::vector<Want>& wants) {
  out.begin(FrameType::want);
  out.u32(static_cast<uint32_t>(wants.size()));
  for (const Want& want : wants) {
    out.u32(want.id);
    out.u8(want.held ? 1 : 0);
    if (!want.held) continue;
    out.u64(want.held->size);
    out.digest(want.held->digest);
  }
  out.end();
}

void put_same(FrameBuilder& out, const std::vector<EntryId>& ids) {
  out.begin(FrameType::same);
  out.u32(static_cast<uint32_t>(ids.size()));
  for (const EntryId id : ids) out.u32(id);
  out.end();
}

void put_credit(FrameBuilder& out, uint64_t bytes) {
  out.begin(FrameType::credit);
  out.u64(bytes);
  out.end();
}

void put_file_end(FrameBuilder& out, const FileEnd& end) {
  out.begin(FrameType::file_end);
  out.u32(end.id);
  out.u8(end.attempt);
  out.u64(end.size);
  put_attributes(out, end.attributes);
  out.digest(end.digest);
  out.end();
}

void put_file_dropped(FrameBuilder& out, const FileDropped& dropped) {
  out.begin(FrameType::file_dropped);
  out.u32(dropped.id);
  out.u8(dropped.attempt);
  out.end();
}

void put_file_failed(FrameBuilder& out, const FileFailed& failed) {
  out.begin(FrameType::file_failed);
  out.u32(failed.id);
  out.u8(static_cast<uint8_t>(failed.reason));
  put_short_text(out, failed.text);
  out.end();
}

void put_done(FrameBuilder& out, const Done& done) {
  out.begin(FrameType::done);
  out.u32(done.landed);
  out.u32(done.same);
  out.u32(done.failed);
  out.u8(done.exit_code);
  put_short_text(out, done.text);
  out.end();
}

void put_bundle(FrameBuilder& out, const std::vector<BundledFile>& files) {
  out.begin(FrameType::bundle);
  out.u32(static_cast<uint32_t>(files.size()));
  for (const BundledFile& file : files) {
    out.u32(file.id);
    out.u32(file.size);
    put_attributes(out, file.attributes);
    out.digest(file.digest);
  }
  for (const BundledFile& file : files) out.bytes(file.content);
  out.end();
}

void begin_piece(FrameBuilder& out, const Piece& piece) {
  out.begin(FrameType::piece);
  out.u32(piece.id);
  out.u8(piece.attempt);
  out.u64(piece.size);
  out.u64(piece.offset);
  out.digest(piece.digest);
}

}  // namespace fairsync
