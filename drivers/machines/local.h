// The machine we are on: an agent as a child, with folders in memory. Nothing stands between its
// programs and the host, so it serves tools, tests and quick looks, not published numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/machine.h"

namespace fairwire {

struct LocalSetup {
  std::string name;
  std::string self_binary;  ///< started as `SELF agent …`
  std::string token;        ///< names what it makes on this host (drivers/sweep.h)
  std::string meter = "auto";
  std::vector<std::string> before;  ///< put before SELF: another user, other namespaces
};

/// The agent ends with the calling thread at the latest. Throws SystemError or ProtocolError.
std::unique_ptr<Machine> make_local_machine(const LocalSetup& setup);
std::unique_ptr<Machine> make_local_machine(const std::string& name, const std::string& self_binary,
                                            const std::string& token);

}  // namespace fairwire
