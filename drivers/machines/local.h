// The machine we are on: an agent as a child, with folders in memory. Nothing stands between its
// programs and the host, so it serves tools, tests and quick looks, not published numbers.
#pragma once

#include <memory>
#include <string>

#include "drivers/machine.h"

namespace fairwire {

/// `self_binary` is started as `SELF agent …`; `token` names what it makes on this host
/// (drivers/sweep.h). The agent ends with the calling thread. Throws SystemError or ProtocolError.
std::unique_ptr<Machine> make_local_machine(const std::string& name, const std::string& self_binary,
                                            const std::string& token);

}  // namespace fairwire
