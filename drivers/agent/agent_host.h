// What an agent says of its host: facts for the record, each null where the host does not tell.
#pragma once

#include <string>

#include "base/json.h"

namespace fairwire {

/// `work`: the folder whose file system is described.
Json host_facts(const std::string& work, const std::string& cpu_method);

/// Absolute path of the running binary.
std::string own_binary();

}  // namespace fairwire
