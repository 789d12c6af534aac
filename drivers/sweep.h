// What a killed run may leave on this host, and its removal. Everything fairwire takes carries a
// token of its owner (pid, start time and PID namespace); what an owner that is gone left behind is
// swept by the next start. Namespaces and mounts need no sweeping: they end with their last
// process.
#pragma once

#include <string>
#include <vector>

namespace fairwire {

/// "PID-STARTTIME-PIDNAMESPACE" of this process: unique until reboot, and its owner's life can be
/// checked by everyone in the same PID namespace.
std::string owner_token();
/// True while the process that made the token lives, or when that cannot be told: a text that is no
/// token, a token of another PID namespace.
bool owner_alive(const std::string& token);

/// Kills the processes and removes the control groups (fairwire-TOKEN…) and folders
/// (/dev/shm/fairwire-TOKEN…) of dead owners. Returns one line for each thing swept.
std::vector<std::string> sweep_leftovers();

/// Kills the processes, but this one, that were started with FAIRWIRE_TOKEN=token: where control
/// groups are not ours to make.
void kill_marked_with(const std::string& token);

/// Folders on this host: /dev/shm/fairwire-TOKEN.
std::string owner_folder(const std::string& token);

}  // namespace fairwire
