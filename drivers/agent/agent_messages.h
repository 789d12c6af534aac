// The values of drivers/machine.h as JSON and back (docs/agent.md). Text that may be any bytes is
// escaped; all reading throws FormatError with the pointer of what is wrong.
#pragma once

#include "base/json.h"
#include "drivers/machine.h"

namespace fairwire {

Json to_json(const ExecSpec& spec);
Json to_json(const ExecReport& report);
Json to_json(const MeterReading& reading);
Json to_json(const TreeSummary& summary);
Json hello_of(const MachineInfo& info);  ///< what an agent knows of itself

ExecSpec exec_spec_from(const JsonView& json);
ExecReport exec_report_from(const JsonView& json);
MeterReading meter_reading_from(const JsonView& json);
TreeSummary tree_summary_from(const JsonView& json);
/// Throws ProtocolError for another version of the protocol.
MachineInfo hello_from(const JsonView& json);

/// The bytes of an escaped text.
std::string bytes_of(const JsonView& json);
/// An absolute path without a zero byte, at most 4095 bytes.
std::string path_from(const JsonView& json);
/// [a-z0-9._-]+ of at most 64 characters that is not "." or "..".
std::string name_from(const JsonView& json);
bool is_plain_name(std::string_view name);
/// From zero to a year.
Nanoseconds duration_from(const JsonView& json);
/// Of a decimal string.
uint64_t seed_from(const JsonView& json);

}  // namespace fairwire
