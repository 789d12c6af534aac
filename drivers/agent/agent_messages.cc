#include "drivers/agent/agent_messages.h"

#include <charconv>

#include "base/error.h"
#include "drivers/agent.h"
#include "drivers/pattern.h"

namespace fairwire {
namespace {

constexpr int64_t kYearNs = int64_t{365} * 86'400 * 1'000'000'000;

Json escaped(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push(escape_name(text));
  return list;
}

std::vector<std::string> unescaped(const JsonView& json) {
  std::vector<std::string> texts;
  for (const JsonView& item : json.items()) texts.push_back(bytes_of(item));
  return texts;
}

// A C string for a system call: the zero byte would cut it silently.
std::string c_string(const JsonView& json) {
  std::string text = bytes_of(json);
  if (text.find('\0') != std::string::npos) json.fail("must not hold a zero byte");
  return text;
}

Json to_json(const InterfaceCount& count) {
  return Json::object({{"name", escape_name(count.name)},
                       {"received_bytes", count.received_bytes},
                       {"sent_bytes", count.sent_bytes},
                       {"received_packets", count.received_packets},
                       {"sent_packets", count.sent_packets},
                       {"dropped_packets", count.dropped_packets}});
}

InterfaceCount interface_count_from(const JsonView& json) {
  InterfaceCount count;
  count.name = bytes_of(json.at("name"));
  count.received_bytes = json.at("received_bytes").as_int(0);
  count.sent_bytes = json.at("sent_bytes").as_int(0);
  count.received_packets = json.at("received_packets").as_int(0);
  count.sent_packets = json.at("sent_packets").as_int(0);
  count.dropped_packets = json.at("dropped_packets").as_int(0);
  return count;
}

std::pair<std::string, std::string> variable_from(const JsonView& json) {
  const std::string text = c_string(json);
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) json.fail("must read KEY=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

std::string bytes_of(const JsonView& json) {
  const auto bytes = unescape_name(json.as_string());
  if (!bytes) json.fail("a backslash must begin \\\\ or \\xNN");
  return *bytes;
}

std::string path_from(const JsonView& json) {
  std::string path = c_string(json);
  if (path.empty() || path[0] != '/') json.fail("must be an absolute path");
  if (path.size() > 4095) json.fail("must have at most 4095 bytes");  // PATH_MAX - 1
  return path;
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name == "." || name == "..") return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") ==
         std::string_view::npos;
}

std::string name_from(const JsonView& json) {
  std::string name = json.as_string();
  if (!is_plain_name(name)) json.fail("must be 1 to 64 of a-z, 0-9, '.', '_' and '-'");
  return name;
}

Nanoseconds duration_from(const JsonView& json) {
  return Nanoseconds(json.as_int(0, kYearNs));
}

uint64_t seed_from(const JsonView& json) {
  const std::string text = json.as_string();
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) {
    json.fail("must be a decimal number below 2^64, as a string");
  }
  return seed;
}

Json to_json(const ExecSpec& spec) {
  Json environment = Json::array();
  for (const auto& [key, value] : spec.environment)
    environment.push(escape_name(key + '=' + value));
  Json json = Json::object({{"name", spec.name}, {"argv", escaped(spec.argv)}});
  json.set("environment", std::move(environment));
  if (!spec.directory.empty()) json.set("directory", escape_name(spec.directory));
  if (!spec.stdout_path.empty()) json.set("stdout_path", escape_name(spec.stdout_path));
  if (spec.until.answered) json.set("until_answered", true);
  if (!spec.until.output.empty()) json.set("until_output", escape_name(spec.until.output));
  json.set("deadline_ns", int64_t{spec.deadline.count()});
  return json.set("stall_ns", int64_t{spec.stall.count()});
}

ExecSpec exec_spec_from(const JsonView& json) {
  json.allow_only({"name", "argv", "environment", "directory", "stdout_path", "deadline_ns",
                   "stall_ns", "until_answered", "until_output"});
  ExecSpec spec;
  spec.name = name_from(json.at("name"));
  for (const JsonView& item : json.at("argv").items()) spec.argv.push_back(c_string(item));
  if (spec.argv.empty() || spec.argv[0].empty()) json.at("argv").fail("must name a program");
  if (const auto list = json.find("environment")) {
    for (const JsonView& item : list->items()) spec.environment.push_back(variable_from(item));
  }
  if (const auto path = json.find("directory")) spec.directory = path_from(*path);
  if (const auto path = json.find("stdout_path")) spec.stdout_path = path_from(*path);
  if (const auto time = json.find("deadline_ns")) spec.deadline = duration_from(*time);
  if (const auto time = json.find("stall_ns")) spec.stall = duration_from(*time);
  spec.until.answered = json.bool_or("until_answered", false);
  if (const auto text = json.find("until_output")) {
    spec.until.output = c_string(*text);
    if (!Pattern(spec.until.output).valid()) text->fail("is no POSIX extended expression");
  }
  return spec;
}

Json to_json(const ExecReport& report) {
  return Json::object({{"end", to_string(report.end)},
                       {"exit_code", report.exit_code},
                       {"signal", report.signal},
                       {"started_ns", int64_t{report.started.count()}},
                       {"ended_ns", int64_t{report.ended.count()}},
                       {"reached_ns", int64_t{report.reached.count()}},
                       {"user_us", report.user_us},
                       {"system_us", report.system_us},
                       {"largest_rss_bytes", report.largest_rss_bytes},
                       {"left_processes", escaped(report.left_processes)},
                       {"why_not_started", escape_name(report.why_not_started)}});
}

ExecReport exec_report_from(const JsonView& json) {
  ExecReport report;
  const auto end = exec_end_from(json.at("end").as_string());
  if (!end) json.at("end").fail("is no end of a program");
  report.end = *end;
  report.exit_code = static_cast<int>(json.at("exit_code").as_int(-1, 255));
  report.signal = static_cast<int>(json.at("signal").as_int(0, 64));
  report.started = Nanoseconds(json.at("started_ns").as_int(0));
  report.ended = Nanoseconds(json.at("ended_ns").as_int(0));
  report.reached = Nanoseconds(json.at("reached_ns").as_int(0));
  report.user_us = json.at("user_us").as_int(0);
  report.system_us = json.at("system_us").as_int(0);
  report.largest_rss_bytes = json.at("largest_rss_bytes").as_int(0);
  report.left_processes = unescaped(json.at("left_processes"));
  report.why_not_started = bytes_of(json.at("why_not_started"));
  return report;
}

Json to_json(const MeterReading& reading) {
  Json interfaces = Json::array();
  for (const InterfaceCount& count : reading.interfaces) interfaces.push(to_json(count));
  Json congestion = Json::object();
  for (const auto& [name, count] : reading.congestion) congestion.set(escape_name(name), count);
  return Json::object({{"at_ns", int64_t{reading.at.count()}},
                       {"cpu_user_us", reading.cpu_user_us},
                       {"cpu_system_us", reading.cpu_system_us},
                       {"cpu_total_us", reading.cpu_total_us},
                       {"cpu_method", reading.cpu_method},
                       {"peak_anonymous_bytes", reading.peak_anonymous_bytes},
                       {"memory_period_ms", reading.memory_period_ms},
                       {"disk_read_bytes", reading.disk_read_bytes},
                       {"disk_written_bytes", reading.disk_written_bytes},
                       {"interfaces", std::move(interfaces)},
                       {"voluntary_switches", reading.voluntary_switches},
                       {"involuntary_switches", reading.involuntary_switches},
                       {"fsyncs", reading.fsyncs},
                       {"connections", reading.connections},
                       {"retransmissions", reading.retransmissions},
                       {"answered", reading.answered},
                       {"payload_received_bytes", reading.payload_received_bytes},
                       {"congestion", std::move(congestion)},
                       {"steal_us", reading.load.steal_us},
                       {"cpu_pressure_us", reading.load.cpu_pressure_us},
                       {"io_pressure_us", reading.load.io_pressure_us},
                       {"memory_pressure_us", reading.load.memory_pressure_us}});
}

MeterReading meter_reading_from(const JsonView& json) {
  MeterReading reading;
  reading.at = Nanoseconds(json.at("at_ns").as_int(0));
  reading.cpu_user_us = json.at("cpu_user_us").as_int(-1);
  reading.cpu_system_us = json.at("cpu_system_us").as_int(-1);
  reading.cpu_total_us = json.at("cpu_total_us").as_int(-1);
  reading.cpu_method = json.at("cpu_method").as_one_of({"cgroup2", "cpuacct", "wait4", "none"});
  reading.peak_anonymous_bytes = json.at("peak_anonymous_bytes").as_int(-1);
  reading.memory_period_ms = json.at("memory_period_ms").as_int(0);
  reading.disk_read_bytes = json.at("disk_read_bytes").as_int(-1);
  reading.disk_written_bytes = json.at("disk_written_bytes").as_int(-1);
  for (const JsonView& item : json.at("interfaces").items()) {
    reading.interfaces.push_back(interface_count_from(item));
  }
  reading.voluntary_switches = json.at("voluntary_switches").as_int(0);
  reading.involuntary_switches = json.at("involuntary_switches").as_int(0);
  reading.fsyncs = json.at("fsyncs").as_int(-1);
  reading.connections = json.at("connections").as_int(-1);
  reading.retransmissions = json.at("retransmissions").as_int(-1);
  reading.answered = json.at("answered").as_int(-1);
  reading.payload_received_bytes = json.at("payload_received_bytes").as_int(-1);
  for (const auto& [name, count] : json.at("congestion").members()) {
    reading.congestion[name] = count.as_int(0);
  }
  reading.load.steal_us = json.at("steal_us").as_int(-1);
  reading.load.cpu_pressure_us = json.at("cpu_pressure_us").as_int(-1);
  reading.load.io_pressure_us = json.at("io_pressure_us").as_int(-1);
  reading.load.memory_pressure_us = json.at("memory_pressure_us").as_int(-1);
  return reading;
}

Json to_json(const TreeSummary& summary) {
  return Json::object({{"entries", summary.entries},
                       {"files", summary.files},
                       {"bytes", summary.bytes},
                       {"digest", summary.digest},
                       {"allocated_bytes", summary.allocated_bytes},
                       {"root", summary.root}});
}

TreeSummary tree_summary_from(const JsonView& json) {
  TreeSummary summary;
  summary.entries = json.at("entries").as_int(0);
  summary.files = json.at("files").as_int(0);
  summary.bytes = json.at("bytes").as_int(0);
  summary.digest = json.at("digest").as_string();
  summary.allocated_bytes = json.at("allocated_bytes").as_int(-1);
  summary.root = json.at("root").as_string();
  return summary;
}

Json hello_of(const MachineInfo& info) {
  return Json::object({{"fairwire_agent", kAgentProtocol},
                       {"version", FAIRWIRE_VERSION},
                       {"name", info.name},
                       {"work", escape_name(info.work)},
                       {"store", escape_name(info.store)},
                       {"self", escape_name(info.self)},
                       {"host", info.host}});
}

MachineInfo hello_from(const JsonView& json) {
  const int64_t protocol = json.at("fairwire_agent").as_int();
  if (protocol != kAgentProtocol) {
    throw ProtocolError("the agent speaks protocol " + std::to_string(protocol) + ", we speak " +
                        std::to_string(kAgentProtocol));
  }
  MachineInfo info;
  info.name = name_from(json.at("name"));
  info.work = path_from(json.at("work"));
  info.store = path_from(json.at("store"));
  info.self = path_from(json.at("self"));
  info.host = json.at("host").json();
  return info;
}

}  // namespace fairwire
