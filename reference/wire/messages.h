// The messages of docs/protocol.md as values, each with its encoder and its decoder.
// Invariant: whatever a decoder returns is within the limits of the protocol (names, sizes, counts,
// enumerations); anything else was refused with ProtocolError.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/wire/frame.h"

namespace fairsync {

inline constexpr uint16_t kProtocolVersion = 0;
inline constexpr size_t kMaxName = 255;     ///< NAME_MAX of Linux
inline constexpr size_t kMaxTarget = 4095;  ///< PATH_MAX of Linux without its NUL
inline constexpr size_t kMaxText = 1000;
inline constexpr uint64_t kMaxFileSize = uint64_t{1} << 42;
inline constexpr uint32_t kMaxEntries = uint32_t{1} << 31;
inline constexpr size_t kMaxConnections = 16;
inline constexpr size_t kMaxBundleFiles = 1024;
inline constexpr size_t kMaxBundledSize = size_t{1} << 20;  ///< longer files travel in pieces
inline constexpr uint64_t kInitialCredit = uint64_t{64} << 20;
inline constexpr std::string_view kStagingName = ".fairsync-staging";

using EntryId = uint32_t;
inline constexpr EntryId kRootId = 0;
using SessionId = std::array<uint8_t, 16>;

enum class Direction : uint8_t { pull = 1, push = 2 };
enum class Durable : uint8_t { none = 0, each = 1, batch = 2 };
enum class EntryKind : uint8_t { file = 1, directory = 2, symlink = 3, skipped = 4 };
enum class ErrorCode : uint8_t {
  other_version = 1,
  not_allowed = 2,
  busy = 3,
  protocol = 4,
  failed = 5
};
enum class FailReason : uint8_t { changed = 1, vanished = 2, unreadable = 3 };

/// Mode (07777) and modification time; nanoseconds are 0 to 999 999 999 before the epoch too.
struct Attributes {
  uint32_t mode = 0;
  int64_t mtime_s = 0;
  uint32_t mtime_ns = 0;

  bool operator==(const Attributes&) const = default;
};

struct Open {
  SessionId session{};
  Direction direction = Direction::pull;
  uint8_t connections = 1;
  Durable durable = Durable::batch;
};

struct Join {
  SessionId session{};
  uint8_t index = 0;
};

struct ErrorMessage {
  ErrorCode code = ErrorCode::failed;
  std::string text;
};

struct Entry {
  EntryKind kind = EntryKind::file;
  Attributes attributes;
  uint64_t size = 0;
  std::string name;
  std::string target;  // of a symlink
};

struct List {
  EntryId directory = kRootId;
  bool last = false;
  bool incomplete = false;
  std::vector<Entry> entries;
};

struct ListEnd {
  uint32_t entries = 0;
  Attributes root;
};

/// What the receiver has already.
struct Held {
  uint64_t size = 0;
  Digest digest{};
};

struct Want {
  EntryId id = 0;
  std::optional<Held> held;
};

struct FileEnd {
  EntryId id = 0;
  uint8_t attempt = 1;
  uint64_t size = 0;
  Attributes attributes;
  Digest digest{};
};

struct FileDropped {
  EntryId id = 0;
  uint8_t attempt = 1;
};

struct FileFailed {
  EntryId id = 0;
  FailReason reason = FailReason::changed;
  std::string text;
};

struct Done {
  uint32_t landed = 0;
  uint32_t same = 0;
  uint32_t failed = 0;
  uint8_t exit_code = 0;
  std::string text;
};

struct BundledFile {
  EntryId id = 0;
  uint32_t size = 0;
  Attributes attributes;
  Digest digest{};
  Bytes content;  // into the frame
};

struct Piece {
  EntryId id = 0;
  uint8_t attempt = 1;
  uint64_t size = 0;  // of the file
  uint64_t offset = 0;
  Digest digest{};
  Bytes content;  // into the frame
};

/// Bytes of one entry in a BUNDLE's table.
inline constexpr size_t kBundleRow = 4 + 4 + 4 + 8 + 4 + 32;
/// Bytes of a PIECE before its content.
inline constexpr size_t kPieceHead = 4 + 1 + 8 + 8 + 32;

/// nullptr when `name` may stand in a listing of `directory`, else what is wrong with it.
const char* name_fault(std::string_view name, EntryId directory);

// Encoders append one whole frame.
void put_hello(FrameBuilder& out, uint16_t version = kProtocolVersion);
void put_open(FrameBuilder& out, const Open& open);
void put_join(FrameBuilder& out, const Join& join);
void put_error(FrameBuilder& out, ErrorCode code, std::string_view text);
void put_empty(FrameBuilder& out, FrameType type);  ///< ACCEPT, PING, BYE
void put_list(FrameBuilder& out, const List& list);
void put_list_end(FrameBuilder& out, const ListEnd& end);
void put_wants(FrameBuilder& out, const std::vector<Want>& wants);
void put_same(FrameBuilder& out, const std::vector<EntryId>& ids);
void put_credit(FrameBuilder& out, uint64_t bytes);
void put_file_end(FrameBuilder& out, const FileEnd& end);
void put_file_dropped(FrameBuilder& out, const FileDropped& dropped);
void put_file_failed(FrameBuilder& out, const FileFailed& failed);
void put_done(FrameBuilder& out, const Done& done);
void put_bundle(FrameBuilder& out, const std::vector<BundledFile>& files);
/// Writes what stands before a piece's content, the digest last; the caller adds the content and
/// calls end().
void begin_piece(FrameBuilder& out, const Piece& piece);

// Decoders take the payload.
uint16_t read_hello(Bytes payload);  ///< the version
Open read_open(Bytes payload);
Join read_join(Bytes payload);
ErrorMessage read_error(Bytes payload);
List read_list(Bytes payload);
ListEnd read_list_end(Bytes payload);
std::vector<Want> read_wants(Bytes payload);
std::vector<EntryId> read_same(Bytes payload);
uint64_t read_credit(Bytes payload);
FileEnd read_file_end(Bytes payload);
FileDropped read_file_dropped(Bytes payload);
FileFailed read_file_failed(Bytes payload);
Done read_done(Bytes payload);
std::vector<BundledFile> read_bundle(Bytes payload);
Piece read_piece(Bytes payload);
void read_empty(Bytes payload);

}  // namespace fairsync
