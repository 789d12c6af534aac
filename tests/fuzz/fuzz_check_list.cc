// A list that is accepted has sorted, distinct paths that stay beneath their root.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/error.h"
#include "datasets/check_list.h"
#include "datasets/path.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  fairwire::is_manifest(in);
  try {
    const fairwire::CheckList list = fairwire::read_sha256sum(in, "f");
    if (list.entries.empty()) std::abort();
    for (size_t i = 0; i < list.entries.size(); ++i) {
      const fairwire::Entry& entry = list.entries[i];
      if (!fairwire::path_fault(entry.path).empty() || !entry.sha256) std::abort();
      if (i > 0 && entry.path <= list.entries[i - 1].path) std::abort();
    }
  } catch (const fairwire::FormatError&) {
  }
  return 0;
}
