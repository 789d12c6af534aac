#include "drivers/quiet_write.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace fairwire {

ssize_t quiet_write(int fd, std::string_view bytes) {
  sigset_t pipe_signal;
  sigset_t before;
  sigset_t pending;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::sigpending(&pending);
  const bool was_pending = ::sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  ssize_t count;
  do {
    count = ::write(fd, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  const int error_number = errno;
  if (count < 0 && error_number == EPIPE && !was_pending) {
    const timespec now{};
    while (::sigtimedwait(&pipe_signal, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error_number;
  return count;
}

}  // namespace fairwire
