// What comes over the pipes of an agent, on both ends: lines, calls, answers and the values in
// them. Nothing may crash, and what is read must be written and read as the same again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "drivers/agent/agent_messages.h"
#include "drivers/agent/agent_protocol.h"
#include "drivers/meter.h"
#include "drivers/meter/process_table.h"

namespace fairwire {
namespace {

template <typename Read>
void read_twice(const Json& json, Read read) {
  try {
    const Json written = to_json(read(JsonView(json, "fuzz")));
    if (to_json(read(JsonView(written, "again"))) != written) std::abort();
  } catch (const FormatError&) {
  }
}

void read_values(const Json& json) {
  read_twice(json, exec_spec_from);
  read_twice(json, exec_report_from);
  read_twice(json, meter_reading_from);
  read_twice(json, tree_summary_from);
  try {
    hello_from(JsonView(json, "fuzz"));
  } catch (const FormatError&) {
  } catch (const ProtocolError&) {
  }
}

void read_call(const std::string& line) {
  try {
    const AgentCall call = parse_call(line);
    read_values(call.params);
    if (const Json* spec = call.params.find("spec")) read_values(*spec);
  } catch (const FormatError&) {
  }
}

void read_answer(const std::string& line) {
  try {
    const AgentAnswer answer = parse_answer(line, "fuzz");
    if (answer.failed) throw_agent_error(JsonView(answer.error, "fuzz"), "");
    read_values(answer.ok);
  } catch (const FormatError&) {
  } catch (const ProtocolError&) {
  } catch (const SystemError&) {
  }
}

void read_lines(std::string_view input) {
  LineReader reader;
  // Fed in two parts: a cut must never matter.
  reader.feed(input.substr(0, input.size() / 2));
  reader.feed(input.substr(input.size() / 2));
  while (const auto line = reader.next()) {
    read_call(*line);
    read_answer(*line);
    if (const auto bytes = from_base64(*line); bytes && to_base64(*bytes) != *line) std::abort();
  }
}

}  // namespace
}  // namespace fairwire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    fairwire::read_lines(input);
  } catch (const fairwire::ProtocolError&) {  // a line above the limit
  }
  fairwire::parse_interfaces(std::string(input));
  fairwire::parse_process_stat(std::string(input));
  return 0;
}
