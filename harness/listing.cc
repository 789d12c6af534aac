#include "harness/listing.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "datasets/manifest.h"
#include "drivers/pattern.h"

namespace fairwire {
namespace {

constexpr size_t kKeptDifferences = 100;

bool is_octal(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
}

std::string unescaped(std::string_view text, const std::string& before_octal) {
  std::string bytes;
  while (!text.empty()) {
    const size_t at = before_octal.empty() ? text.npos : text.find(before_octal);
    bytes += text.substr(0, at);
    if (at == text.npos) break;
    text.remove_prefix(at + before_octal.size());
    const std::string_view digits = text.substr(0, 3);
    if (!is_octal(digits)) {
      bytes += before_octal;
      continue;
    }
    int value = 0;
    std::from_chars(digits.data(), digits.data() + 3, value, 8);
    bytes += static_cast<char>(value);
    text.remove_prefix(3);
  }
  return bytes;
}

std::string_view group_of(const std::string& line, const regmatch_t& group) {
  if (group.rm_so < 0) return {};
  return std::string_view(line).substr(static_cast<size_t>(group.rm_so),
                                       static_cast<size_t>(group.rm_eo - group.rm_so));
}

// Builds the verdict as the two sorted lists are merged.
class Comparison {
 public:
  explicit Comparison(const std::function<void(const DifferenceRecord&)>& each) : each_(each) {}

  void add(const char* kind, const std::string& path, const std::string& wanted,
           const std::string& landed) {
    const DifferenceRecord difference{kind, escape_name(path), wanted, landed};
    if (verdict.first.size() < kKeptDifferences) verdict.first.push_back(difference);
    if (each_) each_(difference);
  }

  VerdictRecord verdict;

 private:
  const std::function<void(const DifferenceRecord&)>& each_;
};

}  // namespace

std::vector<ListedFile> read_listing(std::string_view text, const ListingFormat& format) {
  const Pattern pattern(format.match);
  std::vector<ListedFile> files;
  while (!text.empty()) {
    const size_t end = text.find(format.end);
    const std::string line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    regmatch_t groups[3];
    if (!pattern.valid() || ::regexec(&pattern.get(), line.c_str(), 3, groups, 0) != 0) continue;
    const std::string_view size = group_of(line, groups[3 - format.path]);
    ListedFile file{unescaped(group_of(line, groups[format.path]), format.octal), 0};
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), file.size);
    if (error != std::errc() || stop != size.data() + size.size()) continue;
    files.push_back(std::move(file));
  }
  return files;
}

VerdictRecord compare_listing(const std::string& wanted, std::vector<ListedFile> listed,
                              const std::function<void(const DifferenceRecord&)>& each) {
  std::ranges::sort(listed, {}, &ListedFile::path);
  std::ifstream in(wanted, std::ios::binary);
  if (!in) throw_system_error("open", wanted);
  ManifestReader reader(in, wanted);
  Comparison comparison(each);
  VerdictRecord& verdict = comparison.verdict;
  auto next = listed.begin();
  const auto take_extra = [&] {
    ++verdict.extra;
    comparison.add("extra", next->path, "", std::to_string(next->size));
    ++next;
  };
  while (const auto entry = reader.next()) {
    if (entry->type != EntryType::file) continue;
    ++verdict.wanted_entries;
    ++verdict.wanted_files;
    while (next != listed.end() && next->path < entry->path) take_extra();
    if (next == listed.end() || next->path != entry->path) {
      ++verdict.missing;
      comparison.add("missing", entry->path, std::to_string(entry->size), "");
      continue;
    }
    if (next->size == entry->size) {
      ++verdict.verified_files;
    } else {
      ++verdict.different;
      comparison.add("size", entry->path, std::to_string(entry->size), std::to_string(next->size));
    }
    ++next;
  }
  while (next != listed.end()) take_extra();
  verdict.landed_entries = verdict.landed_files = static_cast<int64_t>(listed.size());
  const auto same = [](bool yes) { return yes ? Verdict::identical : Verdict::different; };
  verdict.content = same(verdict.verified_files == verdict.wanted_files);
  verdict.file_set = same(verdict.missing == 0 && verdict.extra == 0);
  verdict.metadata = Verdict::identical;
  return verdict;
}

}  // namespace fairwire
