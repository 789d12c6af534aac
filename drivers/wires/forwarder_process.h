// The forwarder of a wire at work, and the conversation with it (forwarder.h says what is said).
// Invariant: it ends with this object, or with the thread that made it, in a control group of its
// own where that can be had.
#pragma once

#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "base/json.h"
#include "drivers/meter/control_group.h"
#include "drivers/subprocess.h"
#include "drivers/wires/forwarder.h"

namespace fairwire {

class ForwarderProcess {
 public:
  /// Throws ProtocolError with what it said when it could not begin.
  ForwarderProcess(const ForwarderOptions& options, const std::string& self_binary,
                   const std::string& token);
  ~ForwarderProcess();
  ForwarderProcess(const ForwarderProcess&) = delete;
  ForwarderProcess& operator=(const ForwarderProcess&) = delete;

  const Json& greeting() const { return greeting_; }
  /// Throws ProtocolError when it has ended, or does within that time.
  void check(Nanoseconds within);
  /// Throws ProtocolError when it is gone or does not answer.
  Json ask(const Json& request);

 private:
  void greet();
  Json next_line();

  std::optional<ControlGroup> group_;  // outlives the process in it
  std::optional<Subprocess> process_;
  FileDescriptor to_;
  FileDescriptor from_;
  std::string read_;
  Json greeting_;
};

}  // namespace fairwire
