// What the line of one trial says beside its numbers: reasons, flags, sources, connections, and how
// late an emulated wire was.
#pragma once

#include <string>

#include "reports/cell.h"

namespace fairwire {

/// Printable text; an en dash when there is nothing to say.
std::string remarks_of(const CellTrial& trial);

}  // namespace fairwire
