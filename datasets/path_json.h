// Names and paths as our JSON formats carry them: in the reversible escape of base/json.h.
#pragma once

#include <string>

#include "base/json.h"

namespace fairwire {

/// The bytes of an escaped name; may be empty. Refuses other spellings and NUL.
std::string name_bytes_of(const JsonView& view);

/// The bytes of an escaped path that may be joined to a root (datasets/path.h).
std::string path_of(const JsonView& view);

/// The same for recipes and scripts, whose paths have at most 2 048 parts.
std::string recipe_path_of(const JsonView& view);

/// 1 to 64 letters, digits, ".", "_", "-": the name of a recipe or a script.
std::string plain_name_of(const JsonView& view);

}  // namespace fairwire
