// A plan (docs/plan.md, schema 1): what shall be run. Pure data; loading it reads no other file
// than itself, checking it against tools and a testbed is the runner's first step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "drivers/wire.h"
#include "drivers/wires/network_conditions.h"

namespace fairwire {

/// A tool with settings or a build: "rsync-ssh", "rsync-ssh:fsync", "fairsync@abc123".
struct Variant {
  std::string name;  ///< as written in the plan
  std::string tool;
  std::vector<std::string> settings;
  std::string build;  ///< empty: what the machine's PATH finds
};

/// "TOOL[:SETTING[+SETTING…]][@BUILD]". Throws FormatError through `view`.
Variant parse_variant(const JsonView& view);

/// What holds for every tool of a case alike.
struct Conditions {
  bool durable = false;             ///< a syncfs of the landed tree inside the clock
  std::string index = "cold";       ///< warm: the tool may index before the clock
  std::string cache = "warm";       ///< cold: page caches dropped before the op
  std::string buffers = "default";  ///< tuned: 128 MiB socket buffer limits
  std::string congestion;           ///< empty: as the host has it
  bool congestion_locked = true;
  bool count_calls = false;  ///< the fsync family is counted, and system calls are slower for it

  Json to_json() const;
  /// The part of them that belongs to the wire.
  NetworkConditions network() const;
};

/// Something the case does to the world while it runs.
struct CaseEvent {
  std::string what;                 ///< stop, pause, resume, kill, delete, or of the wire's changes
  std::string machine;              ///< empty: the reader
  WireChange change;                ///< of the wire's changes
  std::string path;                 ///< of delete: a prefix
  std::optional<int64_t> at_bytes;  ///< landed or on the wire
  std::optional<Nanoseconds> at_time;
  std::string at_op;
};

struct CaseSpec {
  std::string name;
  std::string title;
  std::string scenario;
  std::string dataset;   ///< recipe: a shipped name or a path
  std::string mutation;  ///< of update cases: a script, same rule; empty: none
  std::string wire;
  std::string writer = "writer";  ///< machines of the testbed that take the roles
  std::vector<std::string> readers = {"reader"};
  std::string relay;   ///< empty: none
  std::string bucket;  ///< empty: none
  std::vector<Variant> variants;
  std::vector<std::string> controls;
  int64_t rounds = 6;
  Conditions conditions;
  std::vector<CaseEvent> events;
  Nanoseconds deadline = std::chrono::seconds(600);  ///< of an op
  Nanoseconds idle = std::chrono::seconds(60);       ///< how long an idle case looks on
  Nanoseconds stall = std::chrono::seconds(60);      ///< no bytes, no disk, no CPU for so long
};

struct Plan {
  std::string file;
  std::string digest;  ///< SHA-256 of the file, hex
  std::string name;
  std::string title;
  std::string testbed;
  uint64_t seed = 1;
  std::vector<std::string> controls;
  std::string page;
  int64_t threshold_percent = 5;  ///< differences below it are "same"
  Json builds;                    ///< build → {program: path}
  std::vector<CaseSpec> cases;
};

/// Throws FormatError{file, pointer, reason}.
Plan parse_plan(const Json& json, const std::string& file);
Plan load_plan(const std::string& path);

}  // namespace fairwire
