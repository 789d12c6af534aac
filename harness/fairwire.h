// The public face of the harness: all that the command line, the Python package and nobody else
// see of it. Functions throw the floor's errors; nothing here prints.
#pragma once

#include <string>

namespace fairwire {

/// "0.1.0"
std::string version();

}  // namespace fairwire
