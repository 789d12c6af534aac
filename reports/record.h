// One line of results.jsonl (docs/results.md, schema 3) as values, and its JSON both ways.
// Invariant: records are raw. Integers with the unit in the name; no mean, rate, share or
// rounding is ever stored here: every derived number is made by the other files of this room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"

namespace fairwire {

inline constexpr int kResultsSchema = 3;
inline constexpr int kOldestResultsSchema = 1;

enum class Outcome {
  completed,
  tool_failed,
  timed_out,
  unsupported,
  source_changed,
  harness_error
};
enum class Verdict { identical, different, unknown };
enum class Flag {
  invalid,           ///< the wire was out of its stated bounds
  contaminated,      ///< a control of the round was far from its own median
  wrote_after_exit,  ///< the tree still changed after the tool said it was done
  left_processes,    ///< something of the tool was still alive after it ended
  sources_disagree,  ///< the tool's counters and the wire tell different stories
  start_up_bound,    ///< over before the connection had left slow start
  single_run,        ///< the plan asked for one round
};

std::string to_string(Outcome outcome);
std::string to_string(Verdict verdict);
std::string to_string(Flag flag);
/// The worse of two: different, then unknown, then identical.
Verdict worst(Verdict a, Verdict b);

/// A timed operation inside a trial, on one machine.
struct OpRecord {
  std::string name;
  std::string machine;
  int64_t start_ns = 0;  ///< CLOCK_MONOTONIC of that machine
  int64_t wall_ns = 0;
  int64_t bytes = 0;  ///< verified bytes that this op was there to land
  int64_t files = 0;  ///< verified files likewise
  Verdict verdict = Verdict::unknown;
  std::string end;  ///< how the program ended: docs/agent.md, "exec"
  int64_t exit_code = -1;
  int64_t signal = 0;
  int64_t user_us = 0;  ///< wait4
  int64_t system_us = 0;
  int64_t largest_rss_bytes = 0;
  int64_t settle_ns = 0;       ///< part of wall_ns spent after the program's end (query, syncfs)
  int64_t first_byte_ns = -1;  ///< from the start to the first payload; -1: not measured
  int64_t needed_bytes = -1;   ///< the least that had to move; -1: the scenario has no such number
};

/// What the trial cost one machine, from just before the first op to just after the last.
struct MachineRecord {
  std::string machine;
  std::string role;          ///< writer, reader, …
  int64_t cpu_user_us = -1;  ///< -1: not measured
  int64_t cpu_system_us = -1;
  int64_t cpu_total_us = -1;
  std::string cpu_method;
  int64_t peak_anonymous_bytes = -1;
  int64_t memory_period_ms = 0;
  int64_t largest_rss_bytes = 0;  ///< ru_maxrss of the largest single process
  int64_t disk_read_bytes = -1;   ///< -1: not counted
  int64_t disk_written_bytes = -1;
  int64_t received_bytes = 0;  ///< all interfaces but loopback
  int64_t sent_bytes = 0;
  int64_t received_packets = 0;
  int64_t sent_packets = 0;
  int64_t prepare_wall_ns = 0;  ///< untimed work before the first op: its own cost, shown apart
  int64_t prepare_cpu_us = 0;
  // Schema 2. Each -1, and `congestion` null: not measured.
  int64_t connections = -1;      ///< TCP connections of the network namespace since the first op
  int64_t retransmissions = -1;  ///< segments its connections sent again
  Json congestion;               ///< algorithm → connections that used it
  int64_t voluntary_switches = -1;
  int64_t involuntary_switches = -1;
  int64_t fsyncs = -1;           ///< calls of the fsync family by tools
  int64_t steal_us = -1;         ///< of the whole host: CPU time that its hypervisor took
  int64_t cpu_pressure_us = -1;  ///< of the whole host: time in which some task waited
  int64_t io_pressure_us = -1;   ///< (the kernel's "some" totals)
  int64_t memory_pressure_us = -1;
  int64_t payload_received_bytes = -1;  ///< TCP payload on `connections`; since schema 3
};

/// One ordered pair of machines on the wire.
struct WireRecord {
  std::string from;
  std::string to;
  int64_t bytes = 0;
  int64_t packets = 0;
  int64_t dropped_packets = 0;
};

/// Blocks and bytes a tool says it got from one source.
struct SourceRecord {
  std::string source;
  std::string path;  ///< direct, relayed, bucket, local
  int64_t blocks = 0;
  int64_t bytes = 0;
  std::string machine = {};     ///< whose counters these are; since schema 2
  int64_t duplicate_bytes = 0;  ///< part of the wire's traffic that brought nothing new; likewise
};

/// One difference between the wanted and the landed tree; the path as escape_name writes it.
struct DifferenceRecord {
  std::string kind;
  std::string path;
  std::string wanted;
  std::string landed;
};

/// One property of docs/manifest.md: on how many entries it was compared, and on how many not kept.
struct PropertyRecord {
  std::string name;
  int64_t compared = 0;
  int64_t different = 0;
};

/// What the judge says of one landed tree.
struct VerdictRecord {
  std::string machine;
  Verdict content = Verdict::unknown;
  Verdict file_set = Verdict::unknown;
  Verdict metadata = Verdict::unknown;  ///< of what the tool claims to keep
  std::string wanted_digest;            ///< SHA-256 of the manifests, hex
  std::string landed_digest;
  int64_t wanted_entries = 0;
  int64_t landed_entries = 0;
  int64_t wanted_bytes = 0;
  int64_t verified_bytes = 0;
  int64_t missing = 0;
  int64_t extra = 0;
  int64_t different = 0;
  std::vector<std::string> kept;  ///< what the tool claims to keep
  int64_t mode_different = 0;     ///< counted whether claimed or not
  int64_t mtime_different = 0;
  int64_t hard_link_different = 0;
  std::vector<DifferenceRecord> first;
  std::string wanted_root;  ///< Merkle roots of the trees, hex: docs/manifest.md
  std::string landed_root;
  int64_t wanted_files = 0;    ///< names of regular files
  int64_t verified_files = 0;  ///< those whose SHA-256 was compared and equal
  int64_t landed_files = 0;    ///< names of regular files that landed
  int64_t landed_bytes = 0;    ///< their sizes, a file with several names once
  int64_t hashed_files = 0;    ///< those of them that the judge read and hashed
  int64_t hashed_bytes = 0;
  std::vector<PropertyRecord> properties;
  // Schema 3: what the files of the trees occupy (512 × st_blocks); -1: not known.
  int64_t wanted_allocated_bytes = -1;
  int64_t landed_allocated_bytes = -1;

  Verdict overall() const { return worst(worst(content, file_set), metadata); }
};

struct PhaseRecord {
  std::string name;
  int64_t start_ns = 0;  ///< CLOCK_MONOTONIC of the harness
  int64_t end_ns = 0;
};

struct EventRecord {
  std::string what;
  std::string machine;
  int64_t at_ns = 0;
};

struct TrialRecord {
  std::string session;
  int64_t trial = 0;  ///< number within the run: trials/0007
  std::string case_name;
  std::string scenario;
  std::string variant;
  bool control = false;  ///< a control of the round, no tool under test
  int64_t round = 0;     ///< from 1
  int64_t order = 0;     ///< place within the round, from 1
  std::string started;   ///< UTC label
  std::string dataset;   ///< name
  std::string dataset_digest;
  std::string wire;
  Json conditions;         ///< of the case, as set: docs/plan.md
  std::string durability;  ///< what is durable when the clock stops: docs/results.md
  Outcome outcome = Outcome::harness_error;
  std::string reason;  ///< one line, whenever the outcome is not completed
  Verdict verdict = Verdict::unknown;
  std::vector<VerdictRecord> verdicts;
  std::vector<Flag> flags;
  std::vector<OpRecord> ops;
  std::vector<MachineRecord> machines;
  std::vector<WireRecord> wires;
  Json wire_report;  ///< what an emulated wire says of its own work, or null; since schema 2
  std::vector<SourceRecord> sources;
  std::vector<std::string>
      unparsable;  ///< counters that could not be read, and why; since schema 3
  std::vector<EventRecord> events;
  std::vector<PhaseRecord> phases;
};

/// A case as it was planned, so that a page can show what never ran.
struct PlannedCase {
  std::string name;
  std::string title;
  std::string scenario;
  std::string dataset;
  std::string dataset_title;
  std::string wire;
  std::string wire_title;
  int64_t rounds = 0;
  std::vector<std::string> variants;
};

/// The first line of a run folder's results.jsonl.
struct HeaderRecord {
  std::string run;  ///< "<plan>/<UTC time>"
  std::string session;
  std::string started;
  std::string fairwire_version;
  std::string plan_name;
  std::string plan_digest;
  std::string testbed_name;
  std::string testbed_digest;
  uint64_t seed = 0;  ///< stored as text: it may exceed 2^63 - 1
  int64_t planned_trials = 0;
  std::vector<PlannedCase> cases;
  Json context;  ///< machines (host facts), tools (version, file digest, binaries) and limits
};

/// A reading of a wire or a host, before or after the trials.
struct CalibrationRecord {
  std::string session;
  std::string when;  ///< "before" or "after"
  std::string wire;
  std::string status;  ///< "within bounds", "out of bounds", "no bounds", "not measured"
  std::string reason;
  Json reading;  ///< figures with the unit in their names
};

struct NoteRecord {
  std::string session;
  std::string at;
  std::string level;  ///< "info" or "warning"
  std::string text;
};

/// A figure somebody else published, kept beside ours.
struct PublishedRecord {
  std::string source;
  std::string case_name;
  std::string variant;
  std::string measure;
  double value = 0;
  std::string unit;
};

struct EndRecord {
  std::string session;
  std::string at;
  std::string status;  ///< "complete", "interrupted", or "unfit": a wire was out of its bounds
  int64_t trials = 0;
};

using Record = std::variant<HeaderRecord, CalibrationRecord, TrialRecord, NoteRecord,
                            PublishedRecord, EndRecord>;

Json to_json(const Record& record);
/// `schema` is that of the last header before the line; a header brings its own. Keys that its
/// schema did not have keep their defaults. Throws FormatError{file, "line N", reason}; an unknown
/// `type` or a newer schema is refused.
Record record_from_json(const Json& json, const std::string& file, int64_t line,
                        int schema = kResultsSchema);
/// The schema that a header line declares (within what this program reads); 0 for other lines.
int declared_schema(const Json& json);

}  // namespace fairwire
