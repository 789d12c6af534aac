#include <algorithm>
#include <cstring>

#include "reference/content.h"
#include "reference/wire/messages.h"

namespace fairsync {
namespace {

void require(bool good, const char* what) {
  if (!good) throw ProtocolError(what);
}

template <typename Enum>
Enum one_of(uint8_t value, Enum low, Enum high, const char* what) {
  require(value >= static_cast<uint8_t>(low) && value <= static_cast<uint8_t>(high), what);
  return static_cast<Enum>(value);
}

Attributes read_attributes(PayloadReader& in) {
  Attributes attributes;
  attributes.mode = in.u32();
  attributes.mtime_s = in.i64();
  attributes.mtime_ns = in.u32();
  require(attributes.mode <= 07777, "a mode has bits beyond 07777");
  require(attributes.mtime_ns < 1'000'000'000, "nanoseconds of a second or more");
  return attributes;
}

std::string read_text(PayloadReader& in) {
  require(in.left() <= kMaxText, "a text is too long");
  return std::string(in.text(in.left()));
}

SessionId read_session(PayloadReader& in) {
  SessionId session;
  std::memcpy(session.data(), in.bytes(session.size()).data(), session.size());
  return session;
}

uint8_t read_attempt(PayloadReader& in) {
  const uint8_t attempt = in.u8();
  require(attempt == 1 || attempt == 2, "an attempt that is neither 1 nor 2");
  return attempt;
}

uint64_t read_size(PayloadReader& in) {
  const uint64_t size = in.u64();
  require(size <= kMaxFileSize, "a file of more than 4 TiB");
  return size;
}

// The count of a list whose items have at least `item` bytes: what cannot be there is refused
// before room is made for it.
uint32_t read_count(PayloadReader& in, size_t item) {
  const uint32_t count = in.u32();
  require(count <= in.left() / item, "a message promises more items than it holds");
  return count;
}

Entry read_entry(PayloadReader& in, EntryId directory) {
  Entry entry;
  entry.kind = one_of(in.u8(), EntryKind::file, EntryKind::skipped, "an entry of unknown kind");
  entry.attributes = read_attributes(in);
  entry.size = read_size(in);
  entry.name = in.text(in.u16());
  if (const char* fault = name_fault(entry.name, directory)) throw ProtocolError(fault);
  if (entry.kind != EntryKind::symlink) return entry;
  entry.target = in.text(in.u16());
  require(!entry.target.empty() && entry.target.size() <= kMaxTarget &&
              entry.target.find('\0') == std::string::npos,
          "a symlink target that cannot be");
  return entry;
}

}  // namespace

const char* name_fault(std::string_view name, EntryId directory) {
  if (name.empty()) return "an empty name";
  if (name.size() > kMaxName) return "a name of more than 255 bytes";
  if (name == "." || name == "..") return "a name that is . or ..";
  if (name.find('/') != std::string_view::npos) return "a name with a slash";
  if (name.find('\0') != std::string_view::npos) return "a name with a NUL";
  if (directory == kRootId && name == kStagingName) return "the name of the staging folder";
  return nullptr;
}

uint16_t read_hello(Bytes payload) {
  PayloadReader in(payload);
  require(in.left() >= 10 && in.text(8) == "fairsync", "the other end is not fairsync");
  return in.u16();  // what another version adds behind it is its own
}

Open read_open(Bytes payload) {
  PayloadReader in(payload);
  Open open;
  open.session = read_session(in);
  open.direction = one_of(in.u8(), Direction::pull, Direction::push, "an unknown direction");
  open.connections = in.u8();
  require(open.connections >= 1 && open.connections <= kMaxConnections,
          "a session of no or too many connections");
  open.durable = one_of(in.u8(), Durable::none, Durable::batch, "an unknown durability");
  in.expect_end();
  return open;
}

Join read_join(Bytes payload) {
  PayloadReader in(payload);
  Join join;
  join.session = read_session(in);
  join.index = in.u8();
  require(join.index < kMaxConnections, "a connection number that cannot be");
  in.expect_end();
  return join;
}

ErrorMessage read_error(Bytes payload) {
  PayloadReader in(payload);
  ErrorMessage error;
  error.code = one_of(in.u8(), ErrorCode::other_version, ErrorCode::failed, "an unknown error");
  error.text = read_text(in);
  return error;
}

List read_list(Bytes payload) {
  PayloadReader in(payload);
  List list;
  list.directory = in.u32();
  const uint8_t flags = in.u8();
  require(flags <= 3, "unknown flags of a listing");
  list.last = (flags & 1) != 0;
  list.incomplete = (flags & 2) != 0;
  const uint32_t count = read_count(in, 28);
  list.entries.reserve(count);
  for (uint32_t i = 0; i < count; ++i) list.entries.push_back(read_entry(in, list.directory));
  in.expect_end();
  return list;
}

ListEnd read_list_end(Bytes payload) {
  PayloadReader in(payload);
  ListEnd end;
  end.entries = in.u32();
  end.root = read_attributes(in);
  in.expect_end();
  return end;
}

std::vector<Want> read_wants(Bytes payload) {
  PayloadReader in(payload);
  const uint32_t count = read_count(in, 5);
  std::vector<Want> wants;
  wants.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    Want want{in.u32(), std::nullopt};
    const uint8_t has = in.u8();
    require(has <= 1, "a want that is neither with nor without a digest");
    if (has == 1) {
      const uint64_t size = read_size(in);
      want.held = Held{size, in.digest()};
    }
    wants.push_back(want);
  }
  in.expect_end();
  return wants;
}

std::vector<EntryId> read_same(Bytes payload) {
  PayloadReader in(payload);
  std::vector<EntryId> ids(read_count(in, 4));
  for (EntryId& id : ids) id = in.u32();
  in.expect_end();
  return ids;
}

uint64_t read_credit(Bytes payload) {
  PayloadReader in(payload);
  const uint64_t bytes = in.u64();
  require(bytes <= uint64_t{1} << 40, "a credit that cannot be meant");
  in.expect_end();
  return bytes;
}

FileEnd read_file_end(Bytes payload) {
  PayloadReader in(payload);
  FileEnd end;
  end.id = in.u32();
  end.attempt = read_attempt(in);
  end.size = read_size(in);
  require(end.size > kMaxBundledSize, "the end of a file that belongs into a bundle");
  end.attributes = read_attributes(in);
  end.digest = in.digest();
  in.expect_end();
  return end;
}

FileDropped read_file_dropped(Bytes payload) {
  PayloadReader in(payload);
  FileDropped dropped;
  dropped.id = in.u32();
  dropped.attempt = read_attempt(in);
  in.expect_end();
  return dropped;
}

FileFailed read_file_failed(Bytes payload) {
  PayloadReader in(payload);
  FileFailed failed;
  failed.id = in.u32();
  failed.reason = one_of(in.u8(), FailReason::changed, FailReason::unreadable, "unknown reason");
  failed.text = read_text(in);
  return failed;
}

Done read_done(Bytes payload) {
  PayloadReader in(payload);
  Done done;
  done.landed = in.u32();
  done.same = in.u32();
  done.failed = in.u32();
  done.exit_code = in.u8();
  require(done.exit_code <= 3, "an unknown exit code");
  done.text = read_text(in);
  return done;
}

std::vector<BundledFile> read_bundle(Bytes payload) {
  PayloadReader in(payload);
  const uint32_t count = read_count(in, kBundleRow);
  require(count >= 1 && count <= kMaxBundleFiles, "a bundle of no or too many files");
  std::vector<BundledFile> files(count);
  for (BundledFile& file : files) {
    file.id = in.u32();
    file.size = in.u32();
    require(file.size <= kMaxBundledSize, "a bundled file that belongs into pieces");
    file.attributes = read_attributes(in);
    file.digest = in.digest();
  }
  for (BundledFile& file : files) file.content = in.bytes(file.size);
  in.expect_end();
  return files;
}

Piece read_piece(Bytes payload) {
  PayloadReader in(payload);
  Piece piece;
  piece.id = in.u32();
  piece.attempt = read_attempt(in);
  piece.size = read_size(in);
  piece.offset = in.u64();
  piece.digest = in.digest();
  piece.content = in.rest();
  require(piece.size > kMaxBundledSize, "a piece of a file that belongs into a bundle");
  require(piece.offset < piece.size && piece.offset % piece_size(piece.size) == 0,
          "a piece that begins where none begins");
  require(piece.content.size() == piece_length(piece.size, piece.offset),
          "a piece of the wrong length");
  return piece;
}

void read_empty(Bytes payload) {
  PayloadReader(payload).expect_end();
}

}  // namespace fairsync
