#include "drivers/machine.h"

#include <array>

namespace fairwire {
namespace {

struct EndWord {
  ExecEnd end;
  std::string_view word;
};

constexpr std::array kEndWords{
    EndWord{ExecEnd::exited, "exited"},     EndWord{ExecEnd::signalled, "signalled"},
    EndWord{ExecEnd::deadline, "deadline"}, EndWord{ExecEnd::stalled, "stalled"},
    EndWord{ExecEnd::stopped, "stopped"},   EndWord{ExecEnd::not_started, "not_started"},
};

}  // namespace

std::string to_string(ExecEnd end) {
  for (const EndWord& entry : kEndWords) {
    if (entry.end == end) return std::string(entry.word);
  }
  return "unknown";
}

std::optional<ExecEnd> exec_end_from(std::string_view word) {
  for (const EndWord& entry : kEndWords) {
    if (entry.word == word) return entry.end;
  }
  return std::nullopt;
}

}  // namespace fairwire
