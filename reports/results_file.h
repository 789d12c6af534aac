// results.jsonl on disk: append-only, one record a line, flushed and fsynced before append()
// returns. A torn last line (no newline) is what a crash may leave; when a run is appended to again
// it is first set aside in a file beside, then cut off; it is dropped and counted when only read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "reports/record.h"

namespace fairwire {

/// Beside results.jsonl: torn lines, each with a newline behind it.
inline constexpr char kTornFile[] = "results.torn";

class ResultsWriter {
 public:
  /// Creates the file, or opens it to go on: then a torn last line is set aside, cut off and
  /// remembered.
  /// Throws SystemError, with EWOULDBLOCK when another program is writing to it.
  explicit ResultsWriter(const std::string& path);

  /// Throws SystemError, and std::range_error for a record that docs/results.md does not allow
  /// (then nothing is written). After an error the file holds whole lines only: what was half
  /// written is cut off before the next append.
  void append(const Record& record);
  /// The bytes of the torn line that was cut off; empty when there was none.
  const std::string& torn() const { return torn_; }

 private:
  void cut_stump();  ///< truncates to the last whole line

  std::string path_;
  FileDescriptor file_;
  std::string torn_;
  int64_t good_bytes_ = 0;  ///< of whole, synced lines
};

struct ResultsFile {
  std::string path;  ///< "" or a label when the records never were in a file
  std::vector<Record> records;
  int64_t torn_bytes = 0;  ///< of an unterminated last line that was left out
};

/// Throws FormatError{path, "line N", reason} for a bad line that is not the unterminated tail.
/// An empty file is a run that had no time to write its header: no records, no error.
ResultsFile read_results(const std::string& path);

/// The same over bytes in memory; `path` names them in errors.
ResultsFile parse_results(std::string_view bytes, const std::string& path);

}  // namespace fairwire
