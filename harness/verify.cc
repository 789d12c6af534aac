#include "harness/verify.h"

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "datasets/check_list.h"
#include "datasets/manifest.h"
#include "datasets/tree_walk.h"

namespace fairwire {
namespace {

std::ifstream open_manifest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_system_error("open", path);
  return file;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Verdict verdict_of(bool same) { return same ? Verdict::identical : Verdict::different; }

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

}  // namespace

VerdictRecord judge_manifests(const std::string& wanted, const std::string& landed,
                              const std::vector<std::string>& keeps) {
  std::ifstream wanted_file = open_manifest(wanted);
  std::ifstream landed_file = open_manifest(landed);
  ManifestReader wanted_reader(wanted_file, wanted);
  ManifestReader landed_reader(landed_file, landed);
  const bool whole_seconds = contains(keeps, "mtime-seconds");
  const DiffResult diff = diff_entries(entries_of(wanted_reader, whole_seconds),
                                       entries_of(landed_reader, whole_seconds));
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
    verdict.first.push_back({to_string(difference.kind), escape_name(difference.path),
                             escape_name(difference.wanted), escape_name(difference.landed)});
  }
  return verdict;
}

}  // namespace fairwire
