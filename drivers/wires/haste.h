// What keeps the wake-ups of a process on time, as far as this host allows it.
#pragma once

#include "base/file_descriptor.h"

namespace fairwire {

struct Haste {
  bool real_time = false;
  FileDescriptor awake;  ///< while it is open, no CPU of this host sleeps deeply when it is idle
};

/// Of the calling process, of one thread: real-time priority, exact timers, memory that stays.
Haste hurry();

}  // namespace fairwire
