// How often the programs of this agent asked for durability: calls of fsync, fdatasync, syncfs,
// sync, sync_file_range and msync, by the kernel's tracepoints (perf events that children inherit).
// It is asked for, never on by itself: while such a tracepoint is in use every system call of the
// host takes the slower way (docs/agent.md, "Meters").
// Invariant: nothing is mounted anywhere; the counters end with this object and its children.
#pragma once

#include <cstdint>
#include <vector>

#include "base/file_descriptor.h"

namespace fairwire {

class CallCounter {
 public:
  /// Counts for what the calling thread starts from now on. Throws SystemError where the kernel has
  /// no such tracepoints or does not let us.
  CallCounter();

  /// Calls so far, our own included.
  int64_t calls() const;

 private:
  std::vector<FileDescriptor> events_;
};

}  // namespace fairwire
