// results.jsonl on disk: append-only, one record a line, flushed and fsynced before append()
// returns. A torn last line (no newline) is what a crash may leave; it is repaired by truncation
// when a run is appended to again, and dropped and counted when it is only read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "reports/record.h"

namespace fairwire {

class ResultsWriter {
 public:
  /// Creates the file, or opens it to go on: then a torn last line is cut off and remembered.
  explicit ResultsWriter(const std::string& path);

  void append(const Record& record);
  /// The bytes of the torn line that was cut off; empty when there was none.
  const std::string& torn() const { return torn_; }

 private:
  std::string path_;
  FileDescriptor file_;
  std::string torn_;
};

struct ResultsFile {
  std::string path;
  std::vector<Record> records;
  int64_t torn_bytes = 0;  ///< of an unterminated last line that was left out
};

/// Throws FormatError{path, "line N", reason} for a bad line that is not the unterminated tail.
ResultsFile read_results(const std::string& path);

}  // namespace fairwire
