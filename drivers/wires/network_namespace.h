// Doing something inside the network namespace of a process on this host: sockets opened there
// stay there, and children started there are born there.
// Invariant: only the helper thread changes namespaces; the caller never leaves its own.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "drivers/machine.h"

namespace fairwire {

/// Runs `work` on a thread of its own within the network namespace of `pid` and waits for it.
/// What it throws is thrown here. Throws SystemError when there is no such process.
void in_network_of(pid_t pid, const std::function<void()>& work);

/// `ip -batch` with these lines, in the network namespace of the calling thread. Throws
/// ProtocolError with what `ip` said.
void run_ip_batch(const std::string& lines);

/// Rules for `nft -f -`, likewise. Throws ProtocolError, also where nft is not installed.
void run_nft(const std::string& rules);

/// Writes one of /proc/sys/net, "ipv4/ip_forward", likewise. Throws SystemError.
void set_of_namespace(const std::string& name, const std::string& value);

bool host_has_ipv6();

/// The counters of every interface in the network namespace of `pid`, loopback left out.
std::vector<InterfaceCount> interface_counts(pid_t pid);

/// The text of /proc/net/dev as counters; throws FormatError{file, "line N", …}.
std::vector<InterfaceCount> parse_interface_counts(const std::string& text,
                                                   const std::string& file);

}  // namespace fairwire
