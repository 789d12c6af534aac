#include "harness/verify.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "base/error.h"
#include "base/temp_dir.h"
#include "datasets/check_list.h"
#include "datasets/manifest.h"
#include "datasets/tree_walk.h"

namespace fairwire {
namespace {

constexpr size_t kKeptDifferences = 100;

DifferenceRecord difference_record(const Difference& difference) {
  return {to_string(difference.kind), escape_name(difference.path), escape_name(difference.wanted),
          escape_name(difference.landed)};
}

std::ifstream open_manifest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_system_error("open", path);
  return file;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Verdict verdict_of(bool same) {
  return same ? Verdict::identical : Verdict::different;
}

EntrySource entries_of(ManifestReader& reader) {
  return [&reader]() { return reader.next(); };
}

// The words of docs/tool.md, "keeps", with what was counted of each.
std::vector<PropertyRecord> property_records(const PropertyCounts& counts) {
  const auto record = [](const char* name, const PropertyCount& count) {
    return PropertyRecord{name, count.compared, count.different};
  };
  return {record("type", counts.type),       record("mode", counts.mode),
          record("mtime", counts.mtime),     record("mtime-seconds", counts.mtime_seconds),
          record("symlink", counts.symlink), record("hard-link", counts.hard_link),
          record("sparse", counts.sparse),   record("xattr", counts.xattr),
          record("owner", counts.owner)};
}

Verdict metadata_verdict(const std::vector<PropertyRecord>& properties,
                         const std::vector<std::string>& keeps) {
  const auto broken = [&](const PropertyRecord& property) {
    return property.different > 0 && contains(keeps, property.name);
  };
  return verdict_of(std::none_of(properties.begin(), properties.end(), broken));
}

// Whether a difference is one that `keeps` forbids; what a tool never claimed is counted, and must
// not crowd out what matters.
bool is_claimed(const Difference& difference, const std::vector<std::string>& keeps) {
  using Kind = Difference::Kind;
  switch (difference.kind) {
    case Kind::mode:
      return contains(keeps, "mode");
    case Kind::mtime:
      return contains(keeps, "mtime") ||
             (contains(keeps, "mtime-seconds") && !difference.below_a_second);
    case Kind::hard_link:
      return contains(keeps, "hard-link");
    case Kind::sparse:
    case Kind::xattr:
    case Kind::owner:
      return contains(keeps, to_string(difference.kind));
    default:
      return true;
  }
}

// Without a difference, but with a file that nobody read on both sides, nothing is proven.
Verdict content_verdict(const DiffResult& diff) {
  if (!diff.same_content() || diff.missing > 0) return Verdict::different;
  return diff.covers_all() ? Verdict::identical : Verdict::unknown;
}

// What a manifest lists of regular files, and for how much of it there is a digest.
struct Coverage {
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t hashed_files = 0;
  int64_t hashed_bytes = 0;

  void add(const Entry& entry) {
    if (entry.type != EntryType::file) return;
    const int64_t size = entry.hard_link.empty() ? entry.size : 0;
    ++files;
    bytes = add_bytes(bytes, size);
    if (!entry.sha256) return;
    ++hashed_files;
    hashed_bytes = add_bytes(hashed_bytes, size);
  }
};

// A walked tree as a source of entries: through a manifest in a private folder, so that neither
// tree is held in memory.
struct WalkedTree {
  TempDir folder{"fairwire-verify"};
  std::string manifest = folder.path() + "/landed";
  WalkSummary summary;

  WalkedTree(const std::string& directory, const WalkOptions& options) {
    std::ofstream out(manifest, std::ios::binary);
    ManifestWriter writer(out);
    summary = walk_tree(directory, options, [&](const Entry& entry) { writer.write(entry); });
    writer.finish();
    out.close();
    if (!out) throw SystemError("write", manifest, EIO);
  }
};

// A list of digests says nothing of folders and links: leave only what it can speak of.
EntrySource regular_files_of(ManifestReader& reader) {
  return [&reader]() -> std::optional<Entry> {
    while (std::optional<Entry> entry = reader.next()) {
      if (entry->type == EntryType::file) return entry;
    }
    return std::nullopt;
  };
}

// Tells how far a comparison is: it reads two lists of any length.
EntrySource with_progress(EntrySource source, int64_t bytes,
                          const std::function<void(int64_t bytes, int64_t entries)>& progress) {
  constexpr int64_t kStep = 10'000;
  return [source = std::move(source), bytes, &progress, entries = int64_t{0}]() mutable {
    if (progress && ++entries % kStep == 0) progress(bytes, entries);
    return source();
  };
}

EntrySource list_source(const std::vector<Entry>& entries) {
  return [&entries, next = size_t{0}]() mutable -> std::optional<Entry> {
    if (next == entries.size()) return std::nullopt;
    return entries[next++];
  };
}

VerdictRecord counts_of(const DiffResult& diff, const std::vector<std::string>& keeps) {
  const PropertyCounts& counts = diff.properties;
  const bool whole_seconds = contains(keeps, "mtime-seconds") && !contains(keeps, "mtime");
  VerdictRecord verdict;
  verdict.content = content_verdict(diff);
  verdict.file_set = verdict_of(diff.same_file_set());
  verdict.properties = property_records(counts);
  verdict.metadata = metadata_verdict(verdict.properties, keeps);
  verdict.wanted_entries = diff.wanted_entries;
  verdict.landed_entries = diff.landed_entries;
  verdict.wanted_bytes = diff.wanted_bytes;
  verdict.verified_bytes = diff.verified_bytes;
  verdict.wanted_files = diff.wanted_files;
  verdict.verified_files = diff.verified_files;
  verdict.missing = diff.missing;
  verdict.extra = diff.extra;
  verdict.different = diff.content_different + diff.unreadable;
  verdict.kept = keeps;
  verdict.mode_different = counts.mode.different;
  verdict.mtime_different = whole_seconds ? counts.mtime_seconds.different : counts.mtime.different;
  verdict.hard_link_different = counts.hard_link.different;
  return verdict;
}

}  // namespace

VerdictRecord judge_manifests(const std::string& wanted, const std::string& landed,
                              const std::vector<std::string>& keeps,
                              const std::function<void(const DifferenceRecord&)>& each) {
  std::ifstream wanted_file = open_manifest(wanted);
  std::ifstream landed_file = open_manifest(landed);
  ManifestReader wanted_reader(wanted_file, wanted);
  ManifestReader landed_reader(landed_file, landed);
  Coverage coverage;
  const EntrySource landed_source = [&]() {
    std::optional<Entry> entry = landed_reader.next();
    if (entry) coverage.add(*entry);
    return entry;
  };
  std::vector<DifferenceRecord> first;
  const DiffResult diff =
      diff_entries(entries_of(wanted_reader), landed_source, 0, [&](const Difference& difference) {
        DifferenceRecord record = difference_record(difference);
        if (each) each(record);
        if (first.size() < kKeptDifferences && is_claimed(difference, keeps)) {
          first.push_back(std::move(record));
        }
      });
  VerdictRecord verdict = counts_of(diff, keeps);
  verdict.wanted_root = to_hex(wanted_reader.root());
  verdict.landed_root = to_hex(landed_reader.root());
  verdict.landed_files = coverage.files;
  verdict.landed_bytes = coverage.bytes;
  verdict.hashed_files = coverage.hashed_files;
  verdict.hashed_bytes = coverage.hashed_bytes;
  verdict.first = std::move(first);
  return verdict;
}

VerifyResult verify_directory(const std::string& directory, const std::string& list,
                              unsigned threads, const std::function<void(const Difference&)>& each,
                              const std::function<void(int64_t bytes, int64_t entries)>& progress) {
  std::ifstream file = open_manifest(list);
  VerifyResult result;
  result.content_only = !is_manifest(file);
  file.clear();
  file.seekg(0);
  CheckList check_list;
  if (result.content_only) check_list = read_sha256sum(file, list);  // before hours of hashing
  result.had_crlf = check_list.had_crlf;
  const WalkedTree tree(directory, {.hash = true, .threads = threads, .progress = progress});
  result.not_regular = tree.summary.not_regular;
  result.hashed_bytes = tree.summary.bytes;
  std::ifstream landed_file = open_manifest(tree.manifest);
  ManifestReader landed(landed_file, tree.manifest);
  if (result.content_only) {
    result.diff =
        diff_entries(list_source(check_list.entries),
                     with_progress(regular_files_of(landed), result.hashed_bytes, progress),
                     kKeptDifferences, each);
  } else {
    ManifestReader wanted(file, list);
    result.diff = diff_entries(entries_of(wanted),
                               with_progress(entries_of(landed), result.hashed_bytes, progress),
                               kKeptDifferences, each);
  }
  return result;
}

}  // namespace fairwire
