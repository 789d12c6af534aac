// The real wire: whatever network lies between machines that we do not control (ssh hosts, this
// host itself). It adds nothing and promises nothing; what went over it is read from the
// machines' own interface counters.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drivers/wire.h"

namespace fairwire {

/// `addresses`: machine name and the address that the testbed gives it, in the machines' order.
std::unique_ptr<Wire> make_real_wire(std::vector<std::pair<std::string, std::string>> addresses);

}  // namespace fairwire
