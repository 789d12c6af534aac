// The digest of one file, and whether it held still.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/digest.h"
#include "datasets/manifest.h"

namespace fairwire {

struct HashResult {
  std::optional<Digest> sha256 = {};
  std::string problem = {};  ///< why there is no digest
  LocalFacts local = {};     ///< but the owner
};

/// Hashes FOLDER/name, read through `scratch`, if it is the regular file that `expected` describes
/// before and after. Never throws for trouble with the file; adds what it read to `hashed_bytes`.
HashResult hash_file(int folder, const std::string& name, const struct stat& expected,
                     std::span<std::byte> scratch, std::atomic<int64_t>& hashed_bytes);

/// "cannot be opened: Permission denied", with the reason of `error_number`.
std::string problem_text(const char* what, int error_number);

}  // namespace fairwire
