#include "drivers/meter/call_counter.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace fairwire {
namespace {

constexpr const char* kCalls[] = {"fsync", "fdatasync",       "syncfs",
                                  "sync",  "sync_file_range", "msync"};
constexpr const char* kTracefs = "tracefs";

// A tracefs of our own that is attached to no folder: it is gone with its descriptor.
FileDescriptor detached_tracefs() {
  const FileDescriptor context(static_cast<int>(
      check_system(::syscall(SYS_fsopen, kTracefs, FSOPEN_CLOEXEC), "open", kTracefs)));
  check_system(::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0),
               "configure", kTracefs);
  return FileDescriptor(static_cast<int>(
      check_system(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0), "mount", kTracefs)));
}

uint64_t tracepoint_id(const FileDescriptor& tracefs, const std::string& call) {
  const std::string path = "events/syscalls/sys_enter_" + call + "/id";
  const FileDescriptor file(
      check_system(::openat(tracefs.get(), path.c_str(), O_RDONLY | O_CLOEXEC), "open", path));
  char text[32] = {};
  check_system(::read(file.get(), text, sizeof text - 1), "read", path);
  return std::strtoull(text, nullptr, 10);
}

FileDescriptor open_event(uint64_t tracepoint) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = tracepoint;
  attributes.inherit = 1;
  return FileDescriptor(static_cast<int>(
      check_system(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC),
                   "count system calls")));
}

}  // namespace

CallCounter::CallCounter() {
  const FileDescriptor tracefs = detached_tracefs();
  for (const char* call : kCalls) events_.push_back(open_event(tracepoint_id(tracefs, call)));
}

int64_t CallCounter::calls() const {
  int64_t sum = 0;
  for (const FileDescriptor& event : events_) {
    int64_t count = 0;
    if (::read(event.get(), &count, sizeof count) == sizeof count) sum += count;
  }
  return sum;
}

}  // namespace fairwire
