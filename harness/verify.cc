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

// Entries of a manifest; tools that keep whole seconds are compared in whole seconds.
EntrySource entries_of(ManifestReader& reader, bool whole_seconds) {
  return [&reader, whole_seconds]() {
    std::optional<Entry> entry = reader.next();
    if (entry && whole_seconds) entry->mtime_ns = 0;
    return entry;
  };
}

Verdict metadata_verdict(const DiffResult& diff, const std::vector<std::string>& keeps) {
  const bool times = contains(keeps, "mtime") || contains(keeps, "mtime-seconds");
  return verdict_of((!contains(keeps, "mode") || diff.mode_different == 0) &&
                    (!times || diff.mtime_different == 0) &&
                    (!contains(keeps, "hard-link") || diff.hard_link_different == 0));
}

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

EntrySource list_source(const std::vector<Entry>& entries) {
  return [&entries, next = size_t{0}]() mutable -> std::optional<Entry> {
    if (next == entries.size()) return std::nullopt;
    return entries[next++];
  };
}

}  // namespace

VerdictRecord judge_manifests(const std::string& wanted, const std::string& landed,
                              const std::vector<std::string>& keeps,
                              const std::function<void(const DifferenceRecord&)>& each) {
  std::ifstream wanted_file = open_manifest(wanted);
  std::ifstream landed_file = open_manifest(landed);
  ManifestReader wanted_reader(wanted_file, wanted);
  ManifestReader landed_reader(landed_file, landed);
  const bool whole_seconds = contains(keeps, "mtime-seconds");
  const DiffResult diff = diff_entries(entries_of(wanted_reader, whole_seconds),
                                       entries_of(landed_reader, whole_seconds), kKeptDifferences,
                                       [&](const Difference& difference) {
                                         if (each) each(difference_record(difference));
                                       });
  VerdictRecord verdict;
  verdict.content = verdict_of(diff.same_content() && diff.missing == 0);
  verdict.file_set = verdict_of(diff.same_file_set());
  verdict.metadata = metadata_verdict(diff, keeps);
  verdict.wanted_entries = diff.wanted_entries;
  verdict.landed_entries = diff.landed_entries;
  verdict.wanted_bytes = diff.wanted_bytes;
  verdict.verified_bytes = diff.verified_bytes;
  verdict.missing = diff.missing;
  verdict.extra = diff.extra;
  verdict.different = diff.content_different + diff.unreadable;
  verdict.kept = keeps;
  verdict.mode_different = diff.mode_different;
  verdict.mtime_different = diff.mtime_different;
  verdict.hard_link_different = diff.hard_link_different;
  for (const Difference& difference : diff.first) {
    verdict.first.push_back(difference_record(difference));
  }
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
    result.diff = diff_entries(list_source(check_list.entries), regular_files_of(landed),
                               kKeptDifferences, each);
  } else {
    ManifestReader wanted(file, list);
    result.diff =
        diff_entries(entries_of(wanted, false), entries_of(landed, false), kKeptDifferences, each);
  }
  return result;
}

}  // namespace fairwire
