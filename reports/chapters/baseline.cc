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

std::string reading_text(const Json& reading) {
  std::string text;
  if (const auto* members = reading.if_object()) {
    for (const auto& [key, value] : *members) {
      const int64_t* number = value.if_int();
      text += (text.empty() ? "" : ", ") + printable(key) + " " +
              (number != nullptr ? format_count(*number) : printable(value.dump()));
    }
  }
  return text.empty() ? std::string(kNone) : text;
}

TextTable calibration_table(const std::vector<const CalibrationRecord*>& readings) {
  TextTable table;
  table.caption = "Readings of each wire and host outside the rounds, against their stated bounds.";
  table.columns = {
      {"Wire", false, 0}, {"When", false, 0}, {"Status", false, 0}, {"Reading", false, 0}};
  for (const CalibrationRecord* reading : readings) {
    TableCell status;
    status.badge = printable(reading->status);
    status.tone = reading->status == "within bounds"   ? Tone::good
                  : reading->status == "out of bounds" ? Tone::bad
                                                       : Tone::muted;
    status.small = printable(reading->reason);
    table.rows.push_back(
        {"",
         {text_cell(reading->wire.empty() ? "host" : printable(reading->wire)),
          text_cell(printable(reading->when)), status, text_cell(reading_text(reading->reading))}});
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
  }
  document.sections.push_back(std::move(section));
}

}  // namespace fairwire
