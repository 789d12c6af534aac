// The frame around a remote command's output. Between our process and the command stands the
// user's login shell, whose start-up files may print; only what lies between the markers counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairwire {

/// The command line for ssh that runs `argv` and prints the opening marker before it. With
/// `to_end` the closing marker and the exit code follow; else the command takes the shell's place.
std::string framed_command(const std::string& mark, const std::vector<std::string>& argv,
                           bool to_end);

/// The line after which the command's output begins.
std::string opening_line(const std::string& mark);

struct FramedOutput {
  std::string noise;  ///< before the opening marker
  std::string out;
  int exit_code = -1;
};

/// nullopt when either marker is missing: the command did not run to its end.
std::optional<FramedOutput> read_frame(const std::string& mark, std::string_view text);

}  // namespace fairwire
