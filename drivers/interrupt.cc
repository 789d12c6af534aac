#include "drivers/interrupt.h"

#include <csignal>

#include "base/error.h"

namespace fairwire {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;  // the one thing a handler may touch

void note_interrupt(int) {
  interrupt_seen = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_seen != 0;
}

void check_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace fairwire
