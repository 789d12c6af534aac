#include <cerrno>
#include <limits>

#include "base/error.h"
#include "datasets/manifest.h"
#include "datasets/spec.h"

namespace fairwire {
namespace {

Json to_json(const Entry& entry) {
  Json json = Json::object();
  json.set("path", escape_name(entry.path)).set("type", to_string(entry.type));
  if (entry.type == EntryType::file) json.set("bytes", entry.size);
  json.set("mode", format_mode(entry.mode));
  json.set("mtime_s", entry.mtime_s).set("mtime_ns", int64_t{entry.mtime_ns});
  if (entry.sha256) json.set("sha256", to_hex(*entry.sha256));
  if (!entry.hard_link.empty()) json.set("hard_link", escape_name(entry.hard_link));
  if (entry.type == EntryType::symlink) json.set("target", escape_name(entry.target));
  if (!entry.problem.empty()) json.set("problem", escape_name(entry.problem));
  return json;
}

Json to_json(const LocalFacts& local) {
  Json json = Json::object();
  if (local.owner) json.set("uid", local.owner->uid).set("gid", local.owner->gid);
  if (local.data_bytes) json.set("data_bytes", *local.data_bytes);
  if (local.xattrs) json.set("xattrs", to_hex(*local.xattrs));
  if (local.capability) json.set("capability", to_hex(*local.capability));
  return json;
}

}  // namespace

const char* to_string(EntryType type) {
  switch (type) {
    case EntryType::file:
      return "file";
    case EntryType::directory:
      return "directory";
    case EntryType::symlink:
      return "symlink";
    case EntryType::fifo:
      return "fifo";
    case EntryType::socket:
      return "socket";
    case EntryType::block_device:
      return "block_device";
    case EntryType::char_device:
      return "char_device";
  }
  return "unknown";
}

int64_t add_bytes(int64_t total, int64_t size) {
  int64_t sum = 0;
  return __builtin_add_overflow(total, size, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

ManifestWriter::ManifestWriter(std::ostream& out) : out_(out) {
  const std::string header = Json::object({{"fairwire_manifest", 2}}).dump() + '\n';
  before_end_.update(header);
  put(header);
}

void ManifestWriter::write(const Entry& entry) {
  if (entry.path <= last_path_) {
    throw FormatError("manifest", "entry " + std::to_string(entries_),
                      "\"" + escape_name(entry.path) + "\" is out of order");
  }
  std::string line = to_json(entry).dump();
  tree_.add(line);
  if (entry.local != LocalFacts()) {
    line.pop_back();
    line += ",\"local\":" + to_json(entry.local).dump() + '}';
  }
  line += '\n';
  before_end_.update(line);
  put(line);
  ++entries_;
  if (entry.type == EntryType::file && entry.hard_link.empty())
    bytes_ = add_bytes(bytes_, entry.size);
  last_path_ = entry.path;
}

Digest ManifestWriter::finish() {
  const Json end = Json::object({{"end", true},
                                 {"entries", entries_},
                                 {"bytes", bytes_},
                                 {"root", to_hex(tree_.root())},
                                 {"sha256", to_hex(before_end_.finish())}});
  put(end.dump() + '\n');
  if (!out_.flush()) throw SystemError("write", "the manifest", EIO);
  return whole_.finish();
}

void ManifestWriter::put(const std::string& line) {
  whole_.update(line);
  out_.write(line.data(), static_cast<std::streamsize>(line.size()));
  if (!out_) throw SystemError("write", "the manifest", EIO);
}

}  // namespace fairwire
