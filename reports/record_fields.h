// Every field of every record, named once. A visitor walks them in the order of docs/results.md:
// one writes JSON, one reads it, so that the two can never disagree.
// A key that came with a later schema stands behind `if (v.since(N))`: it is always written, and
// asked for in files of that schema only.
// Invariant: what is not visited here is not in the file, and what is in the file is visited here.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "reports/record.h"

namespace fairwire {

template <typename Enum, size_t count>
using Words = std::array<std::pair<Enum, std::string_view>, count>;

inline constexpr Words<Outcome, 6> kOutcomes = {{{Outcome::completed, "completed"},
                                                 {Outcome::tool_failed, "tool_failed"},
                                                 {Outcome::timed_out, "timed_out"},
                                                 {Outcome::unsupported, "unsupported"},
                                                 {Outcome::source_changed, "source_changed"},
                                                 {Outcome::harness_error, "harness_error"}}};
inline constexpr Words<Verdict, 3> kVerdicts = {{{Verdict::identical, "identical"},
                                                 {Verdict::different, "different"},
                                                 {Verdict::unknown, "unknown"}}};
inline constexpr Words<Flag, 7> kFlags = {{{Flag::invalid, "invalid"},
                                           {Flag::contaminated, "contaminated"},
                                           {Flag::wrote_after_exit, "wrote_after_exit"},
                                           {Flag::left_processes, "left_processes"},
                                           {Flag::sources_disagree, "sources_disagree"},
                                           {Flag::start_up_bound, "start_up_bound"},
                                           {Flag::single_run, "single_run"}}};

template <typename V>
void visit_fields(V& v, typename V::template Ref<OpRecord> op) {
  v.text("name", op.name);
  v.text("machine", op.machine);
  v.stamp("start_ns", op.start_ns);
  v.count("wall_ns", op.wall_ns);
  v.count("bytes", op.bytes);
  v.count("files", op.files);
  v.word("verdict", op.verdict, kVerdicts);
  v.text("end", op.end);
  v.sample("exit_code", op.exit_code);
  v.count("signal", op.signal);
  v.count("user_us", op.user_us);
  v.count("system_us", op.system_us);
  v.count("largest_rss_bytes", op.largest_rss_bytes);
  v.count("settle_ns", op.settle_ns);
  if (v.since(2)) {
    v.sample("first_byte_ns", op.first_byte_ns);
    v.sample("needed_bytes", op.needed_bytes);
  }
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<MachineRecord> machine) {
  v.text("machine", machine.machine);
  v.text("role", machine.role);
  v.sample("cpu_user_us", machine.cpu_user_us);
  v.sample("cpu_system_us", machine.cpu_system_us);
  v.sample("cpu_total_us", machine.cpu_total_us);
  v.text("cpu_method", machine.cpu_method);
  v.sample("peak_anonymous_bytes", machine.peak_anonymous_bytes);
  v.count("memory_period_ms", machine.memory_period_ms);
  v.count("largest_rss_bytes", machine.largest_rss_bytes);
  v.sample("disk_read_bytes", machine.disk_read_bytes);
  v.sample("disk_written_bytes", machine.disk_written_bytes);
  v.count("received_bytes", machine.received_bytes);
  v.count("sent_bytes", machine.sent_bytes);
  v.count("received_packets", machine.received_packets);
  v.count("sent_packets", machine.sent_packets);
  v.count("prepare_wall_ns", machine.prepare_wall_ns);
  v.count("prepare_cpu_us", machine.prepare_cpu_us);
  if (v.since(2)) {
    v.sample("connections", machine.connections);
    v.sample("retransmissions", machine.retransmissions);
    v.object("congestion", machine.congestion);
    v.sample("voluntary_switches", machine.voluntary_switches);
    v.sample("involuntary_switches", machine.involuntary_switches);
    v.sample("fsyncs", machine.fsyncs);
    v.sample("steal_us", machine.steal_us);
    v.sample("cpu_pressure_us", machine.cpu_pressure_us);
    v.sample("io_pressure_us", machine.io_pressure_us);
    v.sample("memory_pressure_us", machine.memory_pressure_us);
  }
  if (v.since(3)) v.sample("payload_received_bytes", machine.payload_received_bytes);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<WireRecord> pair) {
  v.text("from", pair.from);
  v.text("to", pair.to);
  v.count("bytes", pair.bytes);
  v.count("packets", pair.packets);
  v.count("dropped_packets", pair.dropped_packets);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<SourceRecord> source) {
  v.text("source", source.source);
  v.text("path", source.path);
  v.count("blocks", source.blocks);
  v.count("bytes", source.bytes);
  if (v.since(2)) {
    v.text("machine", source.machine);
    v.count("duplicate_bytes", source.duplicate_bytes);
  }
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<DifferenceRecord> difference) {
  v.text("kind", difference.kind);
  v.name("path", difference.path);
  v.text("wanted", difference.wanted);
  v.text("landed", difference.landed);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<PropertyRecord> property) {
  v.text("name", property.name);
  v.count("compared", property.compared);
  v.count("different", property.different);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<VerdictRecord> verdict) {
  v.text("machine", verdict.machine);
  v.word("content", verdict.content, kVerdicts);
  v.word("file_set", verdict.file_set, kVerdicts);
  v.word("metadata", verdict.metadata, kVerdicts);
  v.digest("wanted_digest", verdict.wanted_digest);
  v.digest("landed_digest", verdict.landed_digest);
  v.count("wanted_entries", verdict.wanted_entries);
  v.count("landed_entries", verdict.landed_entries);
  v.count("wanted_bytes", verdict.wanted_bytes);
  v.count("verified_bytes", verdict.verified_bytes);
  v.count("missing", verdict.missing);
  v.count("extra", verdict.extra);
  v.count("different", verdict.different);
  v.texts("kept", verdict.kept);
  v.count("mode_different", verdict.mode_different);
  v.count("mtime_different", verdict.mtime_different);
  v.count("hard_link_different", verdict.hard_link_different);
  v.list("differences", verdict.first, 1000);
  if (v.since(2)) {
    v.digest("wanted_root", verdict.wanted_root);
    v.digest("landed_root", verdict.landed_root);
    v.count("wanted_files", verdict.wanted_files);
    v.count("verified_files", verdict.verified_files);
    v.count("landed_files", verdict.landed_files);
    v.count("landed_bytes", verdict.landed_bytes);
    v.count("hashed_files", verdict.hashed_files);
    v.count("hashed_bytes", verdict.hashed_bytes);
    v.list("properties", verdict.properties, 100);
  }
  if (v.since(3)) {
    v.sample("wanted_allocated_bytes", verdict.wanted_allocated_bytes);
    v.sample("landed_allocated_bytes", verdict.landed_allocated_bytes);
  }
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<EventRecord> event) {
  v.text("what", event.what);
  v.text("machine", event.machine);
  v.stamp("at_ns", event.at_ns);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<PhaseRecord> phase) {
  v.text("name", phase.name);
  v.stamp("start_ns", phase.start_ns);
  v.stamp("end_ns", phase.end_ns);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<PlannedCase> planned) {
  v.text("name", planned.name);
  v.text("title", planned.title);
  v.text("scenario", planned.scenario);
  v.text("dataset", planned.dataset);
  v.text("dataset_title", planned.dataset_title);
  v.text("wire", planned.wire);
  v.text("wire_title", planned.wire_title);
  v.count("rounds", planned.rounds);
  v.texts("variants", planned.variants);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<HeaderRecord> header) {
  v.text("run", header.run);
  v.text("session", header.session);
  v.text("started", header.started);
  v.text("fairwire_version", header.fairwire_version);
  v.text("plan_name", header.plan_name);
  v.digest("plan_digest", header.plan_digest);
  v.text("testbed_name", header.testbed_name);
  v.digest("testbed_digest", header.testbed_digest);
  v.seed("seed", header.seed);
  v.count("planned_trials", header.planned_trials);
  v.list("cases", header.cases);
  v.object("context", header.context);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<CalibrationRecord> calibration) {
  v.text("session", calibration.session);
  v.one_of("when", calibration.when, {"before", "after"});
  v.text("wire", calibration.wire);
  v.one_of("status", calibration.status,
           {"within bounds", "out of bounds", "no bounds", "not measured"});
  v.text("reason", calibration.reason);
  v.object("reading", calibration.reading);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<TrialRecord> trial) {
  v.text("session", trial.session);
  v.count("trial", trial.trial);
  v.text("case", trial.case_name);
  v.text("scenario", trial.scenario);
  v.text("variant", trial.variant);
  v.boolean("control", trial.control);
  v.count("round", trial.round);
  v.count("order", trial.order);
  v.text("started", trial.started);
  v.text("dataset", trial.dataset);
  v.digest("dataset_digest", trial.dataset_digest);
  v.text("wire", trial.wire);
  v.object("conditions", trial.conditions);
  v.text("durability", trial.durability);
  v.word("outcome", trial.outcome, kOutcomes);
  v.text("reason", trial.reason);
  v.word("verdict", trial.verdict, kVerdicts);
  v.list("verdicts", trial.verdicts);
  v.words("flags", trial.flags, kFlags);
  v.list("ops", trial.ops);
  v.list("machines", trial.machines);
  v.list("wires", trial.wires);
  if (v.since(2)) v.object("wire_report", trial.wire_report);
  v.list("sources", trial.sources);
  if (v.since(3)) v.texts("unparsable", trial.unparsable);
  v.list("events", trial.events);
  v.list("phases", trial.phases);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<NoteRecord> note) {
  v.text("session", note.session);
  v.text("at", note.at);
  v.one_of("level", note.level, {"info", "warning"});
  v.text("text", note.text);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<PublishedRecord> published) {
  v.text("source", published.source);
  v.text("case", published.case_name);
  v.text("variant", published.variant);
  v.text("measure", published.measure);
  v.number("value", published.value);
  v.text("unit", published.unit);
}

template <typename V>
void visit_fields(V& v, typename V::template Ref<EndRecord> end) {
  v.text("session", end.session);
  v.text("at", end.at);
  v.one_of("status", end.status, {"complete", "interrupted", "unfit"});
  v.count("trials", end.trials);
}

}  // namespace fairwire
