// Any bytes as a results.jsonl: either records, whose own text reads back as the same records and
// makes a report, or a FormatError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "reports/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fairwire;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReportInput input;
  try {
    input.runs.push_back(parse_results(bytes, "results.jsonl"));
  } catch (const FormatError&) {
    return 0;
  }
  std::string written;
  for (const Record& record : input.runs[0].records) written += to_json(record).dump() + "\n";
  std::string again;
  for (const Record& record : parse_results(written, "again").records) {
    again += to_json(record).dump() + "\n";
  }
  if (again != written) std::abort();
  make_report(input);
  return 0;
}
