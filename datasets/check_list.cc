#include "datasets/check_list.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "datasets/path.h"
#include "datasets/text_lines.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumLineBytes = size_t{2} << 20;
constexpr size_t kMaximumEntries = 4'000'000;
constexpr size_t kHexDigits = 64;
constexpr std::string_view kBsdStart = "SHA256 (";
constexpr std::string_view kBsdMiddle = ") = ";

struct Parsed {
  Digest digest;
  std::string name;
};

// nullopt when a backslash is not followed by "\", "n" or "r".
std::optional<std::string> unescape(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    switch (text[i]) {
      case '\\':
        name += '\\';
        break;
      case 'n':
        name += '\n';
        break;
      case 'r':
        name += '\r';
        break;
      default:
        return std::nullopt;
    }
  }
  return name;
}

// "a//./b" gives "a/b".
std::string without_empty_parts(std::string_view name) {
  std::string path;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (!part.empty() && part != ".") {
      if (!path.empty()) path += '/';
      path += part;
    }
    begin = end + 1;
  }
  return path;
}

class ListReader {
 public:
  ListReader(std::istream& in, const std::string& file) : in_(in), file_(file) {}

  CheckList read() {
    std::string line;
    while (read_line(line)) {
      if (list_.entries.size() == kMaximumEntries) fail("the list has more than 4 000 000 lines");
      if (line.ends_with('\r')) {  // a name that ends in CR has it escaped
        line.pop_back();
        list_.had_crlf = true;
      }
      add(parse(line));
    }
    if (list_.entries.empty()) fail("the list is empty: it would verify nothing");
    sort();
    return std::move(list_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw FormatError(file_, "line " + std::to_string(line_), reason);
  }

  bool read_line(std::string& line) {
    ++line_;
    const LineEnd end = read_text_line(in_, line, kMaximumLineBytes);
    if (end == LineEnd::too_long) fail("is longer than 2 MiB");
    return end == LineEnd::newline || !line.empty();  // the last LF may be missing
  }

  Parsed parse(std::string_view line) const {
    const bool escaped = line.starts_with('\\');
    if (escaped) line.remove_prefix(1);
    auto [digest, name] = line.starts_with(kBsdStart) ? split_bsd(line) : split_gnu(line);
    if (!escaped) return {digest, std::move(name)};
    auto bytes = unescape(name);
    if (!bytes) fail("a backslash in an escaped name must be followed by \"\\\", \"n\" or \"r\"");
    return {digest, *std::move(bytes)};
  }

  Parsed split_gnu(std::string_view line) const {
    const auto digest = digest_from_hex(line.substr(0, kHexDigits));
    const std::string_view rest = digest ? line.substr(kHexDigits) : std::string_view();
    if (!rest.starts_with("  ") && !rest.starts_with(" *")) {
      fail("must be 64 hex digits, two spaces (or a space and \"*\") and a name");
    }
    return {*digest, std::string(rest.substr(2))};
  }

  Parsed split_bsd(std::string_view line) const {
    const size_t middle = line.rfind(kBsdMiddle);  // the name may hold these signs too
    const auto digest = middle == std::string_view::npos
                            ? std::nullopt
                            : digest_from_hex(line.substr(middle + kBsdMiddle.size()));
    if (!digest || middle < kBsdStart.size()) fail("must be SHA256 (NAME) = 64 hex digits");
    return {*digest, std::string(line.substr(kBsdStart.size(), middle - kBsdStart.size()))};
  }

  void add(Parsed parsed) {
    if (parsed.name.starts_with('/')) fail("the name is absolute; write it relative to the root");
    Entry entry;
    entry.path = without_empty_parts(parsed.name);
    if (const std::string fault = path_fault(entry.path); !fault.empty()) fail("the name " + fault);
    entry.sha256 = parsed.digest;
    entry.content_only = true;
    list_.entries.push_back(std::move(entry));
  }

  void sort() {
    auto& entries = list_.entries;
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    for (size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].path == entries[i - 1].path && entries[i].sha256 != entries[i - 1].sha256) {
        throw FormatError(file_, printable_name(entries[i].path), "has two different digests");
      }
    }
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  }

  static std::string printable_name(const std::string& path) {
    return "name \"" + escape_name(path) + "\"";
  }

  std::istream& in_;
  const std::string& file_;
  int64_t line_ = 0;
  CheckList list_;
};

}  // namespace

CheckList read_sha256sum(std::istream& in, const std::string& file) {
  return ListReader(in, file).read();
}

bool is_manifest(std::istream& in) {
  return in.peek() == '{';
}

}  // namespace fairwire
