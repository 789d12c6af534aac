// The lines between a harness and an agent, and base64 for what is no text (docs/agent.md, protocol
// version 1). Invariant: no line longer than kLineLimit is ever held or sent, whatever the other
// end does.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/json.h"

namespace fairwire {

inline constexpr size_t kLineLimit = size_t{1} << 20;     ///< with its newline
inline constexpr size_t kChunkBytes = size_t{512} << 10;  ///< of a file, before base64
inline constexpr int64_t kLargestId = int64_t{1} << 53;   ///< what every JSON reader keeps

/// Cuts a stream into lines. Knows no descriptor: bytes are fed as they come.
class LineReader {
 public:
  /// Throws ProtocolError once a line exceeds the limit; the stream is of no use then.
  void feed(std::string_view bytes);
  /// The next whole line without its newline.
  std::optional<std::string> next();
  /// What came after the last newline.
  const std::string& rest() const { return rest_; }

 private:
  std::string rest_;
  std::deque<std::string> lines_;
};

/// `message` as a line with its newline. Throws ProtocolError when it is too long.
std::string to_line(const Json& message);

/// A call as the agent sees it; `params` is the whole object.
struct AgentCall {
  int64_t id = 0;
  std::string name;
  Json params;
};
/// Throws FormatError or ProtocolError.
AgentCall parse_call(const std::string& line);

/// An answer as the harness sees it: exactly one of `ok` and `error` counts.
struct AgentAnswer {
  std::optional<int64_t> id;  ///< nullopt: the agent could not read our line
  bool failed = false;
  Json ok;
  Json error;
};
/// Throws FormatError.
AgentAnswer parse_answer(const std::string& line, const std::string& source);

Json answer_line(const Json& id, Json ok);
Json error_line(const Json& id, const std::exception_ptr& error);
/// The inverse of error_line's `error`: throws what it describes, `where` before the words.
[[noreturn]] void throw_agent_error(const JsonView& error, const std::string& where);

std::string to_base64(std::string_view bytes);
/// nullopt unless `text` is canonical padded base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace fairwire
