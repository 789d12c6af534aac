#include "drivers/machines/ssh_config.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

[[noreturn]] void refuse(const SshOptions& options, const std::string& reason) {
  throw FormatError("machine " + escape_name(options.name), "", reason);
}

bool holds_only_name_letters(std::string_view text) {
  for (const char c : text) {
    const bool alphanumeric =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!alphanumeric && std::string_view("._-:%@+").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

void check_word(const SshOptions& options, const char* what, const std::string& word) {
  if (!holds_only_name_letters(word) || word.starts_with('-')) {
    refuse(options, std::string(what) + " \"" + escape_name(word) + "\" is not a plain name");
  }
}

// The key itself is base64: nothing that could start another line or field.
void check_host_key(const SshOptions& options) {
  for (const char c : options.host_key) {
    if (c < ' ' || c > '~') refuse(options, "host_key must be one line: TYPE BASE64");
  }
  if (options.host_key.find(' ') == std::string::npos) {
    refuse(options, "host_key must read TYPE BASE64, as in a .pub file");
  }
}

void check_identity(const std::string& path) {
  struct stat status {};
  check_system(::stat(path.c_str(), &status), "look at the private key", path);
  const unsigned mode = status.st_mode & 0777;
  if ((mode & 077) == 0) return;
  throw FormatError(path, "",
                    fmt::format("key file too open: mode {:04o} lets others read it, and ssh "
                                "ignores such a key; type: chmod 600 {}",
                                mode, escape_name(path)));
}

// Quotes group, percent signs are tokens, and braces after a dollar sign are variables.
std::string config_path(const std::string& path) {
  if (path.find_first_of("\"\\\r\n") != path.npos || path.find("${") != path.npos) {
    throw FormatError(escape_name(path), "", "ssh's configuration cannot hold such a path");
  }
  std::string text = "\"";
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text + '"';
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

void check_ssh_options(const SshOptions& options) {
  if (options.name.empty() || options.host.empty()) refuse(options, "needs a name and a host");
  if (options.port < 1 || options.port > 65535) refuse(options, "port must be 1 to 65535");
  check_word(options, "name", options.name);
  check_word(options, "host", options.host);
  check_word(options, "user", options.user);
  if (!options.host_key.empty()) check_host_key(options);
  if (!options.work_root.empty() && options.work_root[0] != '/') {
    refuse(options, "work_root must be an absolute path");
  }
  if (!options.identity_file.empty()) check_identity(options.identity_file);
}

std::string ssh_config_text(const SshOptions& options, const std::string& known_hosts) {
  std::string host;
  for (const char c : options.host) host += c == '%' ? "%%" : std::string(1, c);
  std::string text = "Host *\n";
  const auto set = [&text](std::string_view key, const std::string& value) {
    text += "  " + std::string(key) + " " + value + "\n";
  };
  set("HostName", host);
  set("Port", std::to_string(options.port));
  if (!options.user.empty()) set("User", options.user);
  if (!options.identity_file.empty()) set("IdentityFile", config_path(options.identity_file));
  set("IdentitiesOnly", "yes");
  set("IdentityAgent", "none");
  set("PreferredAuthentications", "publickey");
  set("BatchMode", "yes");
  // The machine's name, not its address: addresses are used again by other machines.
  set("HostKeyAlias", options.name);
  set("UserKnownHostsFile", config_path(known_hosts));
  set("GlobalKnownHostsFile", "/dev/null");
  set("StrictHostKeyChecking", options.host_key.empty() ? "accept-new" : "yes");
  set("UpdateHostKeys", "no");
  set("HashKnownHosts", "no");
  set("ConnectTimeout", "10");
  set("ServerAliveInterval", "15");
  set("ServerAliveCountMax", "4");
  set("ControlMaster", "no");
  set("ControlPersist", "no");
  set("ClearAllForwardings", "yes");
  set("ForwardAgent", "no");
  set("RequestTTY", "no");
  set("EscapeChar", "none");
  // Says "Authenticated to": what is closed before that line has run nothing of ours.
  set("LogLevel", "VERBOSE");
  return text;
}

std::string control_path(const SshOptions& options) {
  const std::string folder =
      options.socket_folder.empty() ? owner_folder(owner_token()) : options.socket_folder;
  const std::string target =
      options.name + ' ' + options.user + '@' + options.host + ':' + std::to_string(options.port);
  std::string path = folder + "/ssh-" + to_hex(sha256(target)).substr(0, 16);
  return path.size() <= kLongestControlPath ? path : "";
}

SshFailure ssh_failure_from(std::string_view errors) {
  // In this order: a changed key is also followed by words of the others.
  for (const char* part : {"Host key verification failed", "HOST IDENTIFICATION HAS CHANGED"}) {
    if (holds(errors, part)) return SshFailure::host_key;
  }
  for (const char* part : {"Permission denied", "Too many authentication failures",
                           "No more authentication methods"}) {
    if (holds(errors, part)) return SshFailure::authentication;
  }
  for (const char* part : {"Connection refused", "timed out", "No route to host",
                           "Network is unreachable", "Could not resolve hostname"}) {
    if (holds(errors, part)) return SshFailure::unreachable;
  }
  const bool logged_in = holds(errors, "Authenticated to ");
  for (const char* part : {"kex_exchange_identification", "Connection closed by",
                           "Connection reset by", "Not allowed at this time"}) {
    if (!logged_in && holds(errors, part)) return SshFailure::closed_early;
  }
  return SshFailure::other;
}

std::string to_string(SshFailure failure) {
  switch (failure) {
    case SshFailure::closed_early:
      return "the connection was closed before the login (too many at once: MaxStartups?)";
    case SshFailure::unreachable:
      return "not reachable";
    case SshFailure::authentication:
      return "login refused";
    case SshFailure::host_key:
      return "its host key is not the one this run knows: another machine answers there";
    case SshFailure::other:
      break;
  }
  return "ssh failed";
}

}  // namespace fairwire
