#include "drivers/machines/remote_frame.h"

#include <charconv>

#include "drivers/machines/shell_quote.h"

namespace fairwire {
namespace {

// The marker travels in two halves, so that a shell which prints the command it is given does not
// print the marker.
constexpr const char* kToEnd =
    "mark=$1$2; shift 2; printf '%s\\n' \"$mark\"; \"$@\"; printf '\\n%s %d\\n' \"$mark\" \"$?\"";
constexpr const char* kInPlace = "mark=$1$2; shift 2; printf '%s\\n' \"$mark\"; exec \"$@\"";

}  // namespace

std::string framed_command(const std::string& mark, const std::vector<std::string>& argv,
                           bool to_end) {
  const size_t half = mark.size() / 2;
  std::vector<std::string> words = {
      "sh", "-c", to_end ? kToEnd : kInPlace, "fairwire", mark.substr(0, half), mark.substr(half)};
  words.insert(words.end(), argv.begin(), argv.end());
  return shell_command(words);
}

std::string opening_line(const std::string& mark) {
  return mark + '\n';
}

std::optional<FramedOutput> read_frame(const std::string& mark, std::string_view text) {
  const std::string opening = opening_line(mark);
  const size_t begin = text.find(opening);
  if (begin == text.npos) return std::nullopt;
  const std::string_view body = text.substr(begin + opening.size());
  const std::string closing = '\n' + mark + ' ';
  const size_t end = body.rfind(closing);
  if (end == body.npos) return std::nullopt;
  const std::string_view code = body.substr(end + closing.size());
  FramedOutput framed{std::string(text.substr(0, begin)), std::string(body.substr(0, end)), -1};
  const auto [last, error] = std::from_chars(code.begin(), code.end(), framed.exit_code);
  if (error != std::errc{} || last == code.end() || *last != '\n') return std::nullopt;
  return framed;
}

}  // namespace fairwire
