#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"
#include "reports/stat.h"

namespace fairwire {
namespace {

std::string mb_number(double bytes_per_second) {
  return format_decimal(bytes_per_second / 1e6);
}

std::string values_text(const std::vector<double>& values, std::string (*format)(double)) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " · ") + format(value);
  return text.empty() ? std::string(kNone) : text;
}

// A pipe is read as a rate, a kernel as a time.
TextTable::Row control_row(const ControlRow& row) {
  const bool is_rate = !row.bytes_per_second.empty();
  const auto& values = is_rate ? row.bytes_per_second : row.seconds;
  const auto format = is_rate ? mb_number : format_seconds;
  TableCell n = text_cell(format_count(static_cast<int64_t>(values.size())));
  if (row.not_counted > 0) n.small = format_count(row.not_counted) + " not counted";
  return {"",
          {text_cell(printable(row.wire)), text_cell(printable(row.control)),
           text_cell(format_or_none(median(values), format) + (is_rate ? " MB/s" : "")), n,
           text_cell(values_text(values, format))}};
}

TextTable control_table(const std::vector<ControlRow>& rows) {
  TextTable table;
  table.caption =
      "Raw TCP with one and with sixteen streams, and a fixed piece of CPU and disk work, run in "
      "every round beside the tools: what the wire and the host could do at that hour.";
  table.columns = {{"Wire", false, 0},
                   {"Control", false, 0},
                   {"Median", true, 0},
                   {"n", true, 0},
                   {"Every value, in order of rounds", false, 1}};
  for (const ControlRow& row : rows) table.rows.push_back(control_row(row));
  return table;
}

std::optional<double> number_at(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value == nullptr ? std::nullopt : value->if_number();
}

std::string word_at(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value == nullptr || value->if_string() == nullptr ? "" : printable(*value->if_string());
}

// "4.71 / 4.70": from the first machine to the other, and back.
std::string both_ways(const Json& reading, const std::string& streams) {
  const auto forth = number_at(reading, "forth_" + streams + "_bytes_per_second");
  const auto back = number_at(reading, "back_" + streams + "_bytes_per_second");
  if (!forth || !back) return std::string(kNone);
  return mb_number(*forth) + " / " + mb_number(*back);
}

std::string milliseconds(const Json* object, std::string_view key, double per_ms = 1000) {
  const auto value = object == nullptr ? std::nullopt : number_at(*object, key);
  return value ? format_decimal(*value / per_ms) : std::string(kNone);
}

std::string machines_of(const Json& reading) {
  const std::string one = word_at(reading, "one");
  return one.empty() ? std::string(kNone) : one + " – " + word_at(reading, "other");
}

TableCell status_cell(const CalibrationRecord& reading) {
  TableCell status;
  status.badge = printable(reading.status);
  status.tone = reading.status == "within bounds"   ? Tone::good
                : reading.status == "out of bounds" ? Tone::bad
                                                    : Tone::muted;
  status.small = printable(reading.reason);
  return status;
}

TextTable calibration_table(const std::vector<const CalibrationRecord*>& readings) {
  TextTable table;
  table.caption =
      "Every wire before the first trial and after the last, on tuned socket buffers: 100 UDP "
      "round "
      "trips on the idle wire, then the steady rate of one and of sixteen TCP streams each way "
      "(MB/s). A wire that states a rate or a delay is held against it. Sixteen streams on a slow "
      "wire may still be recovering from their start; the reading nearest to what is stated "
      "counts.";
  table.columns = {{"Wire", false, 0},    {"When", false, 0},          {"Between", false, 4},
                   {"Status", false, 0},  {"Round trip, ms", true, 0}, {"p99, ms", true, 3},
                   {"1 stream", true, 1}, {"16 streams", true, 2},     {"Stated", true, 1}};
  for (const CalibrationRecord* record : readings) {
    const Json& reading = record->reading;
    const Json* trip = reading.find("round_trip");
    table.rows.push_back(
        {"",
         {text_cell(record->wire.empty() ? "host" : printable(record->wire)),
          text_cell(printable(record->when)), text_cell(machines_of(reading)), status_cell(*record),
          text_cell(milliseconds(trip, "median_us")), text_cell(milliseconds(trip, "p99_us")),
          text_cell(both_ways(reading, "1")), text_cell(both_ways(reading, "16")),
          text_cell(format_or_none(number_at(reading, "theory_bytes_per_second"), mb_number))}});
  }
  return table;
}

// What each host can do by itself, from the readings before the first trial.
TextTable host_table(const std::vector<const CalibrationRecord*>& readings) {
  TextTable table;
  table.caption = "What each host does by itself, one core; namespaces of one host share a line.";
  table.columns = {{"Machine", false, 0},
                   {"SHA-256, MB/s", true, 0},
                   {"AES-256-GCM, MB/s", true, 0},
                   {"Write with fsync, MB/s", true, 0},
                   {"fsync, ms", true, 0}};
  for (const CalibrationRecord* record : readings) {
    const Json* hosts = record->reading.find("hosts");
    if (hosts == nullptr || hosts->if_object() == nullptr) continue;
    for (const auto& [machine, host] : *hosts->if_object()) {
      const auto rate = [&of_host = host](const char* key) {
        return text_cell(format_or_none(number_at(of_host, key), mb_number));
      };
      table.rows.push_back({"",
                            {text_cell(printable(machine)), rate("sha256_bytes_per_second"),
                             rate("aead_bytes_per_second"), rate("write_bytes_per_second"),
                             text_cell(milliseconds(&host, "fsync_ns", 1e6))}});
    }
  }
  return table;
}

}  // namespace

void add_baseline(const PageInput& input, Document& document) {
  Section section{"baseline", "Network baseline", {}, 2};
  if (input.tables.controls.empty()) {
    section.blocks.emplace_back(
        Paragraph{"No control was recorded: what the wire could carry is not known.", Tone::bad});
  } else {
    section.blocks.emplace_back(control_table(input.tables.controls));
  }
  if (!input.pool.calibrations.empty()) {
    section.blocks.emplace_back(calibration_table(input.pool.calibrations));
    TextTable hosts = host_table(input.pool.calibrations);
    if (!hosts.rows.empty()) section.blocks.emplace_back(std::move(hosts));
  }
  document.sections.push_back(std::move(section));
}

}  // namespace fairwire
