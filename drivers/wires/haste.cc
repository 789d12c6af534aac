#include "drivers/wires/haste.h"

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>

namespace fairwire {
namespace {

constexpr int kPriority = 20;         // SCHED_FIFO: above every tool, below the kernel's own
constexpr int kHeapTrim = 512 << 20;  // bytes: do not give memory back between two packets

}  // namespace

Haste hurry() {
  Haste haste;
  ::prctl(PR_SET_TIMERSLACK, 1);
  ::mallopt(M_TRIM_THRESHOLD, kHeapTrim);
  ::mlockall(MCL_CURRENT);
  sched_param parameters{};
  parameters.sched_priority = kPriority;
  haste.real_time = ::sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
  // Documentation/power/pm_qos_interface.rst: microseconds, held until it is closed.
  FileDescriptor latency(::open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
  const int32_t none = 0;
  if (latency.is_open() && ::write(latency.get(), &none, sizeof none) == sizeof none) {
    haste.awake = std::move(latency);
  }
  return haste;
}

}  // namespace fairwire
