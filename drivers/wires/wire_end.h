// Where a wire is tied to a machine.
#pragma once

#include <sys/types.h>

#include <string>

namespace fairwire {

struct WireEnd {
  std::string name;         ///< of the machine
  pid_t namespace_pid = 0;  ///< a process in its network namespace, as this host sees it
};

}  // namespace fairwire
