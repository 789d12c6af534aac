// Lists of digests as `sha256sum` writes them, and our own manifests, behind one reader: what
// `fairwire verify DIR MANIFEST` accepts.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "datasets/manifest.h"

namespace fairwire {

struct CheckList {
  std::vector<Entry> entries;  ///< sorted by path; only path, type file and sha256 are set
  bool had_crlf = false;       ///< said once to the user; names keep an escaped \r
};

/// Reads GNU sha256sum's text: "HEX  NAME", "HEX *NAME", a leading "\" for escaped names (\\, \n,
/// \r), and the BSD form "SHA256 (NAME) = HEX". A leading "./" of a name is dropped. Throws
/// FormatError{file, "line N", reason}; absolute names and ".." are refused.
CheckList read_sha256sum(std::istream& in, const std::string& file);

/// True when the text starts like one of our manifests.
bool is_manifest(std::istream& in);

}  // namespace fairwire
