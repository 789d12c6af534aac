// The judge of `list`: what a tool said is there, names and sizes, held against the source's
// manifest. Invariant: a line counts once; one that cannot be read as the tool's file says is left
// out, so that it can only be missed and never matched.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/tool.h"
#include "reports/record.h"

namespace fairwire {

struct ListedFile {
  std::string path;  ///< bytes
  int64_t size = 0;
};

/// In the order of the text.
std::vector<ListedFile> read_listing(std::string_view text, const ListingFormat& format);

/// Regular files of the manifest file `wanted` against `listed`. In the verdict `file_set` is about
/// names and `content` about sizes; nothing was hashed, and no byte is said to be verified.
VerdictRecord compare_listing(const std::string& wanted, std::vector<ListedFile> listed,
                              const std::function<void(const DifferenceRecord&)>& each = {});

}  // namespace fairwire
