// Writing to a peer that may be gone: EPIPE as a value, never SIGPIPE. A library must not change
// the program's signal dispositions, so the signal is held back and eaten around the write.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace fairwire {

/// write(2) without SIGPIPE. Retries EINTR; -1 with errno otherwise.
ssize_t quiet_write(int fd, std::string_view bytes);

}  // namespace fairwire
