#include "reports/results_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>

#include "base/error.h"
#include "reports/record_limits.h"

namespace fairwire {
namespace {

constexpr size_t kChunk = 65536;

// A file's name lives in its folder: without this a crash may lose the whole file.
void sync_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const FileDescriptor directory = open_file(folder, O_RDONLY | O_DIRECTORY);
  check_system(::fsync(directory.get()), "fsync", folder);
}

int64_t size_of(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  check_system(::fstat(file.get(), &status), "stat", path);
  return status.st_size;
}

std::string read_range(const FileDescriptor& file, int64_t begin, int64_t end,
                       const std::string& path) {
  std::string bytes(static_cast<size_t>(end - begin), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(file.get(), bytes.data() + done, bytes.size() - done,
                                  begin + static_cast<int64_t>(done));
    if (count == -1 && errno == EINTR) continue;
    if (check_system(count, "read", path) == 0) throw SystemError("read", path, EIO);
    done += static_cast<size_t>(count);
  }
  return bytes;
}

void set_aside(const std::string& torn, const std::string& path) {
  const std::string beside = path.substr(0, path.rfind('/') + 1) + kTornFile;
  FileDescriptor file = open_file(beside, O_WRONLY | O_CREAT | O_APPEND, 0644);
  file.write_all(torn + "\n");
  check_system(::fsync(file.get()), "fsync", beside);
}

// Where the last whole line ends, found from the back: the cost does not grow with the file.
int64_t end_of_last_line(const FileDescriptor& file, int64_t size, const std::string& path) {
  for (int64_t end = size; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - static_cast<int64_t>(kChunk));
    const std::string chunk = read_range(file, begin, end, path);
    if (const size_t newline = chunk.rfind('\n'); newline != std::string::npos) {
      return begin + static_cast<int64_t>(newline) + 1;
    }
    end = begin;
  }
  return 0;
}

// Json::parse knows the column only; whoever reads results needs the line of the file.
Json parse_line(std::string_view text, const std::string& path, int64_t line) {
  try {
    return Json::parse(text, path);
  } catch (const FormatError& error) {
    const std::string column =
        error.pointer.starts_with("line 1, ") ? error.pointer.substr(std::strlen("line 1, ")) : "";
    throw FormatError(path, "line " + std::to_string(line),
                      column.empty() ? error.reason : column + ": " + error.reason);
  }
}

// Turns chunks of a file into records; keeps no more than one line at a time.
class LineParser {
 public:
  explicit LineParser(ResultsFile& results) : results_(results) {}

  void feed(std::string_view bytes) {
    for (size_t newline = bytes.find('\n'); newline != std::string_view::npos;
         newline = bytes.find('\n')) {
      pending_ += bytes.substr(0, newline);
      bytes.remove_prefix(newline + 1);
      finish_line();
    }
    pending_ += bytes;
    if (pending_.size() > kMaximumLine) too_long();
  }
  void finish() { results_.torn_bytes = static_cast<int64_t>(pending_.size()); }

 private:
  [[noreturn]] void too_long() const {
    throw FormatError(results_.path, "line " + std::to_string(line_ + 1),
                      "longer than " + std::to_string(kMaximumLine) + " bytes");
  }
  void finish_line() {
    if (pending_.size() > kMaximumLine) too_long();
    ++line_;
    const Json json = parse_line(pending_, results_.path, line_);
    if (const int schema = declared_schema(json); schema != 0) schema_ = schema;
    results_.records.push_back(record_from_json(json, results_.path, line_, schema_));
    if (line_ == 1 && !std::holds_alternative<HeaderRecord>(results_.records[0])) {
      throw FormatError(results_.path, "line 1", "the first record must be a header");
    }
    pending_.clear();
  }

  ResultsFile& results_;
  std::string pending_;
  int64_t line_ = 0;
  int schema_ = kResultsSchema;  // of the last header
};

}  // namespace

ResultsWriter::ResultsWriter(const std::string& path)
    : path_(path), file_(open_file(path, O_RDWR | O_CREAT | O_APPEND, 0644)) {
  check_system(::flock(file_.get(), LOCK_EX | LOCK_NB), "lock", path_);
  const int64_t size = size_of(file_, path_);
  good_bytes_ = end_of_last_line(file_, size, path_);
  torn_ = read_range(file_, good_bytes_, size, path_);
  if (!torn_.empty()) set_aside(torn_, path_);
  cut_stump();
  sync_folder_of(path_);
}

void ResultsWriter::cut_stump() {
  if (size_of(file_, path_) == good_bytes_) return;
  check_system(::ftruncate(file_.get(), good_bytes_), "truncate", path_);
  check_system(::fsync(file_.get()), "fsync", path_);
}

void ResultsWriter::append(const Record& record) {
  const std::string line = to_json(record).dump() + "\n";
  if (line.size() > kMaximumLine) throw std::range_error("a record is longer than 16 MiB");
  cut_stump();  // of an append before this one that failed half way
  file_.write_all(line);
  check_system(::fsync(file_.get()), "fsync", path_);
  good_bytes_ += static_cast<int64_t>(line.size());
}

ResultsFile read_results(const std::string& path) {
  ResultsFile results;
  results.path = path;
  const FileDescriptor file = open_file(path, O_RDONLY);
  LineParser parser(results);
  std::string buffer(kChunk, '\0');
  while (const size_t count = file.read_some(std::as_writable_bytes(std::span(buffer)))) {
    parser.feed(std::string_view(buffer).substr(0, count));
  }
  parser.finish();
  return results;
}

ResultsFile parse_results(std::string_view bytes, const std::string& path) {
  ResultsFile results;
  results.path = path;
  LineParser parser(results);
  parser.feed(bytes);
  parser.finish();
  return results;
}

}  // namespace fairwire
