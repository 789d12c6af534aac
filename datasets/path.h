// Paths within a tree: bytes, relative, '/' between parts. What is checked here may be joined to a
// root without ever leaving it, and is opened part by part, so that no length is too long.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace fairwire {

constexpr size_t kMaximumPathBytes = size_t{1} << 20;  ///< of every path we write or read
constexpr size_t kMaximumPartBytes = 255;              ///< NAME_MAX of Linux

/// Why `path` cannot name an entry beneath a root; empty when it can.
std::string path_fault(std::string_view path);

/// "a/b/c" gives "a/b"; "a" gives "".
std::string_view parent_path(std::string_view path);
/// "a/b/c" gives "c".
std::string_view base_name(std::string_view path);

/// Opens the folder `path` ("" is the root itself) beneath `root`, following no symlink on the way
/// nor at the end. Throws SystemError naming the path.
FileDescriptor open_directory_beneath(int root, std::string_view path);

/// open of PARENT/name without following symlinks; -1 and errno on failure. O_NOATIME is used
/// where the system allows it, so that looking does not change the tree.
int open_quietly(int parent, const char* name, int flags);

}  // namespace fairwire
