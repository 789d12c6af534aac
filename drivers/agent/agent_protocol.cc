#include "drivers/agent/agent_protocol.h"

#include <cerrno>

#include "base/error.h"

namespace fairwire {
namespace {

Json describe(const SystemError& error) {
  return Json::object({{"kind", "system"},
                       {"attempt", escape_name(error.attempt)},
                       {"path", escape_name(error.path)},
                       {"errno", error.error_number},
                       {"message", escape_name(error.what())}});
}

Json describe(const FormatError& error) {
  return Json::object({{"kind", "format"},
                       {"file", escape_name(error.file)},
                       {"pointer", escape_name(error.pointer)},
                       {"reason", escape_name(error.reason)},
                       {"message", escape_name(error.what())}});
}

Json describe(const char* kind, const char* words) {
  return Json::object({{"kind", kind}, {"message", escape_name(words)}});
}

Json describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const SystemError& caught) {
    return describe(caught);
  } catch (const FormatError& caught) {
    return describe(caught);
  } catch (const ProtocolError& caught) {
    return describe("protocol", caught.what());
  } catch (const std::exception& caught) {
    return describe("other", caught.what());
  } catch (...) {
    return describe("other", "something that is no std::exception");
  }
}

std::string text_of(const JsonView& error, std::string_view key) {
  const std::string text = error.string_or(key, "");
  return unescape_name(text).value_or(text);
}

}  // namespace

void LineReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    if (rest_.size() + part.size() >= kLineLimit) {
      throw ProtocolError("a line is longer than 1 MiB");
    }
    rest_ += part;
    if (newline == std::string_view::npos) return;
    lines_.push_back(std::exchange(rest_, {}));
    bytes.remove_prefix(newline + 1);
  }
}

std::optional<std::string> LineReader::next() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

std::string to_line(const Json& message) {
  std::string line = message.dump() + '\n';
  if (line.size() > kLineLimit) {
    throw ProtocolError("a message of " + std::to_string(line.size()) +
                        " bytes does not fit into a line of 1 MiB");
  }
  return line;
}

AgentCall parse_call(const std::string& line) {
  AgentCall call;
  call.params = Json::parse(line, "call");
  const JsonView view(call.params, "call");
  call.id = view.at("id").as_int(0, kLargestId);
  call.name = view.at("call").as_nonempty_string();
  return call;
}

AgentAnswer parse_answer(const std::string& line, const std::string& source) {
  const Json json = Json::parse(line, source);
  const JsonView view(json, source);
  view.allow_only({"id", "ok", "error"});
  AgentAnswer answer;
  const JsonView id = view.at("id");
  if (!id.json().is_null()) answer.id = id.as_int(0, kLargestId);
  const auto ok = view.find("ok");
  const auto error = view.find("error");
  if (ok.has_value() == error.has_value()) view.fail("needs either \"ok\" or \"error\"");
  answer.failed = error.has_value();
  if (ok) answer.ok = ok->json();
  if (error) answer.error = error->json();
  return answer;
}

Json answer_line(const Json& id, Json ok) {
  return Json::object({{"id", id}, {"ok", std::move(ok)}});
}

Json error_line(const Json& id, const std::exception_ptr& error) {
  return Json::object({{"id", id}, {"error", describe(error)}});
}

void throw_agent_error(const JsonView& error, const std::string& where) {
  const std::string kind = error.string_or("kind", "other");
  if (kind == "system") {
    // 4095 is the kernel's largest error number.
    throw SystemError(where + text_of(error, "attempt"), text_of(error, "path"),
                      static_cast<int>(error.int_or("errno", EIO, 0, 4095)));
  }
  if (kind == "format") {
    throw FormatError(where + text_of(error, "file"), text_of(error, "pointer"),
                      text_of(error, "reason"));
  }
  throw ProtocolError(where + text_of(error, "message"));
}

}  // namespace fairwire
