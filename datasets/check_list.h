// Lists of digests as `sha256sum` writes them, and our own manifests, behind one reader: what
// `fairwire verify DIR MANIFEST` accepts.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "datasets/manifest.h"

namespace fairwire {

struct CheckList {
  std::vector<Entry> entries;  ///< sorted by path, each `content_only`
  bool had_crlf = false;       ///< said once to the user; names keep an escaped \r
};

/// Reads GNU sha256sum's text: "HEX  NAME", "HEX *NAME", a leading "\" for escaped names (\\, \n,
/// \r), and the BSD form "SHA256 (NAME) = HEX". Empty and "." parts of a name are dropped. Throws
/// FormatError{file, "line N", reason}; absolute names and ".." are refused, and so is an empty
/// list, which would verify anything. Bounds: docs/manifest.md.
CheckList read_sha256sum(std::istream& in, const std::string& file);

/// True when the text starts like one of our manifests; reads nothing from `in`.
bool is_manifest(std::istream& in);

}  // namespace fairwire
