// Ctrl-C and SIGTERM as a value that long waits look at: the handler only sets a flag, the loops
// throw Interrupted, and the owners on the stack give back what they took.
#pragma once

namespace fairwire {

/// Installs the handlers for SIGINT and SIGTERM (without SA_RESTART, so that poll wakes up).
void catch_interrupts();
bool interrupted();
/// Throws Interrupted once a signal has arrived.
void check_interrupted();

}  // namespace fairwire
