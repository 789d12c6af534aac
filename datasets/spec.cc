#include "datasets/spec.h"

#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "datasets/entry_extras.h"
#include "datasets/path.h"
#include "datasets/path_json.h"

namespace fairwire {
namespace {

constexpr int64_t kMaximumFiles = 4'000'000;
constexpr int64_t kMaximumFileBytes = int64_t{1} << 40;
constexpr int64_t kMaximumTreeBytes = int64_t{1} << 44;
constexpr size_t kMaximumGroups = 64;
constexpr size_t kMaximumEntries = 10'000;
constexpr size_t kMaximumQuantiles = 1'025;
constexpr size_t kMaximumTargetBytes = 4'095;  // PATH_MAX less the closing NUL
constexpr int64_t kFirstMtime = std::numeric_limits<int32_t>::min();
constexpr int64_t kLastMtime = int64_t{1} << 32;  // leaves room for a second an entry on ext4

unsigned mode_of(const JsonView& view) {
  if (const auto mode = parse_mode(view.as_string())) return *mode;
  view.fail("must be four octal digits, such as \"0644\"");
}

Content content_of(const JsonView& owner) {
  const auto view = owner.find("content");
  const std::string word =
      view ? view->as_one_of({"random", "log_text", "zeros", "sparse"}) : std::string("random");
  if (word == "sparse") return Content::sparse;
  if (word == "log_text") return Content::log_text;
  return word == "zeros" ? Content::zeros : Content::random;
}

std::vector<int64_t> quantiles_of(const JsonView& view) {
  const auto items = view.items();
  if (items.empty() || items.size() > kMaximumQuantiles) {
    view.fail("must hold 1 to 1025 sizes; one is a fixed size");
  }
  std::vector<int64_t> sizes;
  for (const JsonView& item : items) {
    sizes.push_back(item.as_int(0, kMaximumFileBytes));
    if (sizes.size() > 1 && sizes.back() < sizes[sizes.size() - 2]) {
      item.fail("must not be smaller than the size before it");
    }
  }
  return sizes;
}

std::string name_piece(const JsonView& owner, std::string_view key) {
  const auto view = owner.find(key);
  if (!view) return {};
  std::string piece = name_bytes_of(*view);
  if (piece.find('/') != std::string::npos) view->fail("must not hold \"/\"; use \"folder\"");
  return piece;
}

FileGroup parse_group(const JsonView& view) {
  view.allow_only({"folder", "prefix", "suffix", "count", "size_quantiles", "files_per_folder",
                   "content", "copy_every"});
  FileGroup group;
  if (const auto folder = view.find("folder"); folder && !folder->as_string().empty()) {
    group.folder = recipe_path_of(*folder);
  }
  group.prefix = name_piece(view, "prefix");
  group.suffix = name_piece(view, "suffix");
  group.count = view.at("count").as_int(1, kMaximumFiles);
  group.size_quantiles = quantiles_of(view.at("size_quantiles"));
  group.files_per_folder = view.int_or("files_per_folder", 0, 0, group.count);
  group.copy_every = view.int_or("copy_every", 0, 0, group.count);
  if (group.copy_every == 1) view.at("copy_every").fail("must be 0, or at least 2");
  group.content = content_of(view);
  if (const auto fault = path_fault(group_path(group, group.count - 1)); !fault.empty()) {
    view.fail("the path of its files " + fault);
  }
  return group;
}

SpecialEntry::Kind kind_of(const JsonView& view) {
  using Kind = SpecialEntry::Kind;
  const std::string word =
      view.at("kind").as_one_of({"directory", "file", "symlink", "hardlink", "fifo"});
  if (word == "directory") return Kind::directory;
  if (word == "file") return Kind::file;
  if (word == "symlink") return Kind::symlink;
  return word == "hardlink" ? Kind::hardlink : Kind::fifo;
}

void allow_keys_of(const JsonView& view, SpecialEntry::Kind kind) {
  switch (kind) {
    case SpecialEntry::Kind::fifo:
      return view.allow_only({"kind", "path", "mode", "owner", "mtime"});
    case SpecialEntry::Kind::directory:
      return view.allow_only({"kind", "path", "mode", "owner", "mtime", "xattrs"});
    case SpecialEntry::Kind::file:
      return view.allow_only(
          {"kind", "path", "size", "content", "mode", "owner", "mtime", "xattrs"});
    case SpecialEntry::Kind::symlink:
      return view.allow_only({"kind", "path", "target", "owner", "mtime"});
    case SpecialEntry::Kind::hardlink:
      return view.allow_only({"kind", "path", "target"});
  }
}

std::string symlink_target_of(const JsonView& view) {
  std::string target = name_bytes_of(view);
  if (target.empty() || target.size() > kMaximumTargetBytes) view.fail("must have 1 to 4095 bytes");
  return target;
}

SpecialEntry parse_entry(const JsonView& view) {
  SpecialEntry entry;
  entry.kind = kind_of(view);
  allow_keys_of(view, entry.kind);
  entry.path = recipe_path_of(view.at("path"));
  if (const auto mode = view.find("mode")) entry.mode = mode_of(*mode);
  entry.size = view.int_or("size", 0, 0, kMaximumFileBytes);
  entry.content = content_of(view);
  if (entry.kind == SpecialEntry::Kind::symlink)
    entry.target = symlink_target_of(view.at("target"));
  if (entry.kind == SpecialEntry::Kind::hardlink) entry.target = recipe_path_of(view.at("target"));
  entry.extras = entry_extras_of(view);
  return entry;
}

// Entries build on earlier ones: what a path is decides what may lie beneath it. Ordered sets, so
// that a long path costs no more than a few comparisons.
class EntryChecker {
 public:
  void check(const JsonView& view, const SpecialEntry& entry) {
    const bool folder = entry.kind == SpecialEntry::Kind::directory;
    if (lies_in_a_leaf(entry.path)) {
      view.at("path").fail("leads through an entry that is no directory");
    }
    if (!folder && holds_something(entry.path)) {
      view.at("path").fail("is the folder of an earlier entry");
    }
    if (entry.kind == SpecialEntry::Kind::hardlink) check_link(view, entry);
    if (!kinds_.emplace(entry.path, entry.kind).second) view.at("path").fail("occurs twice");
    if (!folder) leaves_.insert(entry.path + '/');
  }

 private:
  // No leaf lies in another, so the only one that can be a prefix is the last one before `path`.
  bool lies_in_a_leaf(const std::string& path) const {
    const auto after = leaves_.upper_bound(path);
    return after != leaves_.begin() && path.starts_with(*std::prev(after));
  }

  bool holds_something(const std::string& path) const {
    const auto beneath = kinds_.lower_bound(path + '/');
    return beneath != kinds_.end() && beneath->first.starts_with(path + '/');
  }

  void check_link(const JsonView& view, const SpecialEntry& entry) const {
    const auto target = kinds_.find(entry.target);
    if (target == kinds_.end() || (target->second != SpecialEntry::Kind::file &&
                                   target->second != SpecialEntry::Kind::hardlink)) {
      view.at("target").fail("must be the path of an earlier \"file\" or \"hardlink\" entry");
    }
  }

  std::map<std::string, SpecialEntry::Kind> kinds_;
  std::set<std::string> leaves_;  // each with a closing "/"
};

// What came with schema 2 is refused in a recipe that says 1: an older fairwire would refuse it
// too.
void refuse_newer_keys(const JsonView& root) {
  for (const char* part : {"groups", "entries"}) {
    const auto items = root.find(part);
    if (!items) continue;
    for (const JsonView& item : items->items()) {
      for (const char* key : {"owner", "mtime", "xattrs", "copy_every"}) {
        if (const auto newer = item.find(key)) newer->fail("needs \"schema\": 2");
      }
      const auto content = item.find("content");
      if (content && content->as_string() == "sparse") content->fail("needs \"schema\": 2");
    }
  }
}

std::vector<JsonView> items_up_to(const JsonView& root, std::string_view key, size_t limit) {
  const auto view = root.find(key);
  if (!view) return {};
  auto items = view->items();
  if (items.size() > limit) view->fail("holds more than " + std::to_string(limit) + " items");
  return items;
}

void parse_groups(const JsonView& root, DatasetSpec& spec) {
  std::set<std::tuple<std::string, std::string, std::string>> names;
  for (const JsonView& item : items_up_to(root, "groups", kMaximumGroups)) {
    spec.groups.push_back(parse_group(item));
    const FileGroup& group = spec.groups.back();
    if (!names.emplace(group.folder, group.prefix, group.suffix).second) {
      item.fail("makes the names of an earlier group; change folder, prefix or suffix");
    }
  }
}

void parse_entries(const JsonView& root, DatasetSpec& spec) {
  EntryChecker checker;
  for (const JsonView& item : items_up_to(root, "entries", kMaximumEntries)) {
    spec.entries.push_back(parse_entry(item));
    checker.check(item, spec.entries.back());
  }
}

void check_totals(const JsonView& root, const DatasetSpec& spec) {
  if (spec.planned_files() > kMaximumFiles) root.fail("asks for more than 4 000 000 files");
  int64_t room = kMaximumTreeBytes;
  const auto take = [&](int64_t count, int64_t size) {
    if (size > 0 && count > room / size) root.fail("may ask for more than 2^44 bytes");
    room -= count * size;
  };
  for (const FileGroup& group : spec.groups) take(group.count, group.size_quantiles.back());
  for (const SpecialEntry& entry : spec.entries) take(1, entry.size);
}

std::string padded(int64_t number, int64_t largest) {
  std::string digits = std::to_string(number);
  const size_t width = std::to_string(largest).size();
  return std::string(width - digits.size(), '0') + digits;
}

}  // namespace

int64_t DatasetSpec::planned_files() const {
  int64_t files = 0;
  for (const FileGroup& group : groups) files += group.count;
  for (const SpecialEntry& entry : entries) {
    files += entry.kind == SpecialEntry::Kind::file || entry.kind == SpecialEntry::Kind::hardlink;
  }
  return files;
}

std::string group_path(const FileGroup& group, int64_t index) {
  std::string path = group.folder;
  if (!path.empty()) path += '/';
  if (group.files_per_folder > 0) {
    path +=
        'd' + padded(index / group.files_per_folder, (group.count - 1) / group.files_per_folder);
    path += '/';
  }
  return path + group.prefix + padded(index, group.count - 1) + group.suffix;
}

DatasetSpec parse_dataset_spec(const Json& json, const std::string& file) {
  const JsonView root(json, file);
  root.allow_only({"schema", "name", "title", "file_mode", "directory_mode", "first_mtime_s",
                   "groups", "entries"});
  const int64_t schema = root.at("schema").as_int(1, 2);
  DatasetSpec spec;
  spec.name = plain_name_of(root.at("name"));
  spec.title = root.at("title").as_nonempty_string();
  if (spec.title.size() > 200) root.at("title").fail("must have at most 200 bytes");
  if (const auto mode = root.find("file_mode")) spec.file_mode = mode_of(*mode);
  if (const auto mode = root.find("directory_mode")) spec.directory_mode = mode_of(*mode);
  spec.first_mtime_s = root.int_or("first_mtime_s", 0, kFirstMtime, kLastMtime);
  parse_groups(root, spec);
  parse_entries(root, spec);
  check_totals(root, spec);
  if (schema == 1) refuse_newer_keys(root);
  return spec;
}

}  // namespace fairwire
