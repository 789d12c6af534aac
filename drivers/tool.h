// A tool as data (docs/tool.md, schema 1): what it can do, how each role is prepared, served,
// triggered and stopped, and what it claims to keep. A service (sshd) is a tool without
// scenarios. Nothing here knows any tool by name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "drivers/machine.h"

namespace fairwire {

/// One command. Every text in it may hold bindings: {tree}, {work}, …
struct Step {
  std::vector<std::string> argv;
  std::string output;  ///< file that takes its standard output; empty: the log
  std::vector<std::pair<std::string, std::string>> environment;
};

/// How to know that a server is up: asked, never slept for.
struct ReadyProbe {
  std::string tcp;   ///< a port on this machine; empty: not asked
  std::string file;  ///< a path that must exist; empty: not asked
  Nanoseconds within = std::chrono::seconds(10);
};

/// What starts an op: a command, or an HTTP request to a tool that runs all the time.
struct Trigger {
  Step step;
  Json http;    ///< null, or {method, url, body, expect}
  Until until;  ///< of connect
};

/// How the lines of what `list` prints are read.
struct ListingFormat {
  std::string match;  ///< POSIX extended expression; other lines are left out
  size_t path = 2;    ///< which of its two groups; the other one is the size in bytes
  char end = '\n';    ///< of a line
  std::string octal;  ///< what stands before three octal digits of an escaped byte; empty: nothing
};

/// A file written before anything is started: a path and its lines.
using ToolFile = std::pair<std::string, std::vector<std::string>>;

struct ToolRole {
  std::string service;  ///< a service that is up on this machine first; empty: none
  std::vector<ToolFile> files;
  std::vector<Step> prepare;
  std::vector<Step> index;          ///< run after these where the case says that the index is warm
  std::vector<std::string> shares;  ///< files below {work} copied to the other roles' {work}
  std::optional<Step> serve;
  std::optional<ReadyProbe> ready;
  std::map<std::string, Trigger> triggers;  ///< by scenario
  std::optional<Step> stop;

  /// What starts an op of the scenario. Without a trigger of their own, pull-again, update, resume
  /// and swarm use that of pull, and push-again that of push. nullptr when there is none.
  const Trigger* trigger(const std::string& scenario) const;
};

struct ToolSpec {
  std::string file;    ///< where it was read
  std::string digest;  ///< SHA-256 of that file, hex
  std::string name;
  std::string title;
  std::vector<std::string> version_argv;
  std::string version_match;          ///< POSIX extended expression; its first group is the version
  std::vector<std::string> binaries;  ///< programs whose path and SHA-256 are recorded
  std::vector<std::string> can;
  std::vector<std::string> keeps;  ///< mode, mtime, mtime-seconds, symlink, hard-link, …
  std::map<std::string, std::vector<std::string>> settings;  ///< name → arguments for {settings}
  std::map<std::string, ToolRole> roles;
  std::map<std::string, ToolRole> push_roles;  ///< of push and push-again; empty: as `roles`
  std::string done = "exit";                   ///< exit, converged, or a query
  std::string durable = "none";  ///< what the tool itself makes durable: none, each, batch
  std::map<std::string, std::string> durable_settings;  ///< setting → what it makes of that
  std::optional<ListingFormat> listing;
  std::string counters;  ///< JSON file it writes, per source; empty: none
  std::string notes;

  bool is_service() const { return can.empty(); }
  bool can_do(std::string_view scenario) const;
  /// The roles it has in a scenario: by role name.
  const std::map<std::string, ToolRole>& roles_for(std::string_view scenario) const;
  /// What it makes durable under these settings: the last one that says so counts.
  std::string durable_under(const std::vector<std::string>& chosen) const;
  /// The first group of version_match in what version_argv printed.
  std::optional<std::string> find_version(const std::string& output) const;
};

/// Throws FormatError naming the file and the JSON pointer: closed schema, known bindings only.
ToolSpec parse_tool(const Json& json, const std::string& file);
ToolSpec load_tool(const std::string& path);

/// Values of the closed list of bindings: docs/tool.md, "Bindings".
using Bindings = std::map<std::string, std::string>;

/// Replaces every {name}; "{{" and "}}" are literal braces. Throws FormatError{file, pointer}
/// for a binding that is unknown or has no value in this place.
std::string expand(std::string_view text, const Bindings& bindings, const std::string& file);
/// Expands a command; an element that is exactly "{settings}" becomes `settings`.
std::vector<std::string> expand_argv(const std::vector<std::string>& argv, const Bindings& bindings,
                                     const std::vector<std::string>& settings,
                                     const std::string& file);

}  // namespace fairwire
