#include <limits>
#include <utility>

#include "base/error.h"
#include "datasets/manifest.h"
#include "datasets/path_json.h"
#include "datasets/spec.h"
#include "datasets/text_lines.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumLineBytes = size_t{16} << 20;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

constexpr EntryType kTypes[] = {
    EntryType::file,   EntryType::directory,    EntryType::symlink,    EntryType::fifo,
    EntryType::socket, EntryType::block_device, EntryType::char_device};

EntryType type_of(const JsonView& view) {
  const std::string word = view.as_string();
  for (const EntryType type : kTypes) {
    if (word == to_string(type)) return type;
  }
  view.fail("is no type of entry");
}

void allow_keys_of(const JsonView& view, EntryType type) {
  switch (type) {
    case EntryType::file:
      return view.allow_only({"path", "type", "bytes", "mode", "mtime_s", "mtime_ns", "sha256",
                              "hard_link", "problem", "local"});
    case EntryType::symlink:
      return view.allow_only(
          {"path", "type", "mode", "mtime_s", "mtime_ns", "target", "problem", "local"});
    default:
      return view.allow_only({"path", "type", "mode", "mtime_s", "mtime_ns", "problem", "local"});
  }
}

unsigned mode_of(const JsonView& view) {
  if (const auto mode = parse_mode(view.as_string())) return *mode;
  view.fail("must be four octal digits");
}

Digest digest_of(const JsonView& view) {
  const auto digest = digest_from_hex(view.as_string());
  if (!digest || to_hex(*digest) != view.as_string()) {
    view.fail("must be 64 lower-case hex digits");
  }
  return *digest;
}

void allow_local_keys_of(const JsonView& view, EntryType type) {
  switch (type) {
    case EntryType::file:
      return view.allow_only({"uid", "gid", "data_bytes", "xattrs", "capability"});
    case EntryType::directory:
      return view.allow_only({"uid", "gid", "xattrs"});
    default:
      return view.allow_only({"uid", "gid"});
  }
}

LocalFacts parse_local(const JsonView& view, const Entry& entry) {
  constexpr int64_t kLargestId = (int64_t{1} << 32) - 2;  // the last one means "leave it"
  allow_local_keys_of(view, entry.type);
  LocalFacts local;
  if (view.find("uid") || view.find("gid")) {
    local.owner = {view.at("uid").as_int(0, kLargestId), view.at("gid").as_int(0, kLargestId)};
  }
  if (const auto bytes = view.find("data_bytes")) {
    if (bytes->as_int(0, kLargest) >= entry.size) bytes->fail("must be less than \"bytes\"");
    local.data_bytes = bytes->as_int();
  }
  if (const auto xattrs = view.find("xattrs")) local.xattrs = digest_of(*xattrs);
  if (const auto capability = view.find("capability")) local.capability = digest_of(*capability);
  if (local == LocalFacts()) view.fail("must not be empty");
  return local;
}

void parse_optional(const JsonView& view, Entry& entry) {
  if (const auto digest = view.find("sha256")) entry.sha256 = digest_of(*digest);
  if (const auto link = view.find("hard_link")) {
    entry.hard_link = path_of(*link);
    if (entry.hard_link >= entry.path) link->fail("must be an earlier path");
  }
  if (const auto problem = view.find("problem")) {
    entry.problem = name_bytes_of(*problem);
    if (entry.problem.empty()) problem->fail("must not be empty");
    if (entry.sha256) problem->fail("contradicts \"sha256\"");
  }
}

Entry parse_entry(const JsonView& view, int schema) {
  Entry entry;
  entry.type = type_of(view.at("type"));
  allow_keys_of(view, entry.type);
  entry.path = path_of(view.at("path"));
  if (entry.type == EntryType::file) entry.size = view.at("bytes").as_int(0, kLargest);
  entry.mode = mode_of(view.at("mode"));
  entry.mtime_s = view.at("mtime_s").as_int();
  entry.mtime_ns = static_cast<int32_t>(view.at("mtime_ns").as_int(0, 999'999'999));
  if (entry.type == EntryType::symlink) entry.target = name_bytes_of(view.at("target"));
  parse_optional(view, entry);
  const auto local = view.find("local");
  if (local && schema == 1) local->fail("does not belong to schema 1");
  if (local) entry.local = parse_local(*local, entry);
  entry.local_unknown = schema == 1;
  return entry;
}

}  // namespace

ManifestReader::ManifestReader(std::istream& in, std::string file)
    : in_(in), file_(std::move(file)) {}

std::optional<Entry> ManifestReader::next() {
  if (ended_) return std::nullopt;
  if (line_ == 0) read_header();
  const std::string text = read_line();
  const Json json = parse_line(text);
  if (json.find("end") != nullptr) {
    check_end(json);
    ended_ = true;
    return std::nullopt;
  }
  Entry entry = parse_entry(JsonView(json, file_, "line " + std::to_string(line_)), schema_);
  if (entry.path <= last_path_) {
    fail("\"" + escape_name(entry.path) + "\" is out of order; sort by the bytes of full paths");
  }
  hash_.update(text + '\n');
  tree_.add(without_local(text));
  last_path_ = entry.path;
  ++entries_;
  if (entry.hard_link.empty()) bytes_ = add_bytes(bytes_, entry.size);
  return entry;
}

void ManifestReader::fail(const std::string& reason) const {
  throw FormatError(file_, "line " + std::to_string(line_), reason);
}

std::string ManifestReader::read_line() {
  ++line_;
  std::string line;
  switch (read_text_line(in_, line, kMaximumLineBytes)) {
    case LineEnd::newline:
      return line;
    case LineEnd::too_long:
      fail("is longer than 16 MiB");
    case LineEnd::end_of_file:
      break;
  }
  fail("the manifest is cut short: it has no closing line");
}

Json ManifestReader::parse_line(const std::string& text) const {
  try {
    return Json::parse(text, file_);
  } catch (const FormatError& error) {
    fail(error.reason);  // its own line number counts within this line
  }
}

void ManifestReader::read_header() {
  const std::string line = read_line();
  for (int schema = 1; schema <= 2; ++schema) {
    if (line == "{\"fairwire_manifest\":" + std::to_string(schema) + '}') schema_ = schema;
  }
  if (schema_ == 0) {
    fail("must be {\"fairwire_manifest\":2} or 1; is this a manifest of a newer version?");
  }
  hash_.update(line + '\n');
}

void ManifestReader::check_end(const Json& line) {
  const JsonView end(line, file_, "line " + std::to_string(line_));
  if (schema_ == 1) {
    end.allow_only({"end", "entries", "bytes", "sha256"});
  } else {
    end.allow_only({"end", "entries", "bytes", "root", "sha256"});
  }
  if (!end.at("end").as_bool()) end.at("end").fail("must be true");
  if (end.at("entries").as_int() != entries_) {
    end.at("entries").fail("does not match the " + std::to_string(entries_) + " entries above");
  }
  if (end.at("bytes").as_int() != bytes_) {
    end.at("bytes").fail("does not match the " + std::to_string(bytes_) + " bytes above");
  }
  if (schema_ > 1 && digest_of(end.at("root")) != tree_.root()) {
    end.at("root").fail("does not match the lines above: the manifest was changed");
  }
  if (digest_of(end.at("sha256")) != hash_.finish()) {
    end.at("sha256").fail("does not match the lines above: the manifest was changed");
  }
  std::string rest;
  if (read_text_line(in_, rest, 0) != LineEnd::end_of_file) {
    fail("something stands behind the closing line");
  }
}

}  // namespace fairwire
