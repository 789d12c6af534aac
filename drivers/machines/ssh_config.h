// What we tell ssh, and what its complaints mean. Pure text, apart from looking at the key file.
// Invariant: nothing of the user's own configuration takes part.
#pragma once

#include <string>
#include <string_view>

#include "drivers/machines/ssh.h"

namespace fairwire {

/// A socket's path may have 107 bytes, and ssh appends 17 while it makes one.
inline constexpr size_t kLongestControlPath = 90;

/// Throws FormatError: names that would be read as something else, no private key, a key file
/// that others may read (ssh would ignore it and say "Permission denied").
void check_ssh_options(const SshOptions& options);

/// The text of a configuration file for one machine. Throws FormatError for a path that ssh's
/// configuration cannot hold.
std::string ssh_config_text(const SshOptions& options, const std::string& known_hosts);

/// The path of the shared connection's socket; empty when it would be too long.
std::string control_path(const SshOptions& options);

enum class SshFailure { closed_early, unreachable, authentication, host_key, other };

/// Why ssh ended without having run our command, from what it printed.
SshFailure ssh_failure_from(std::string_view errors);
std::string to_string(SshFailure failure);

}  // namespace fairwire
