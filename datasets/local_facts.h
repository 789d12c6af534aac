// What an open file or folder has that not every file system can hold: holes and extended
// attributes (docs/manifest.md, "What is local").
#pragma once

#include <sys/stat.h>

#include "datasets/manifest.h"

namespace fairwire {

/// Fills everything but the owner of what is open as `fd`. Returns 0 or the errno that ended it.
int read_local_facts(int fd, const struct stat& status, LocalFacts& facts);

}  // namespace fairwire
