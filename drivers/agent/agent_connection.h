// The harness's end of the two pipes: one call at a time, its answer by id, always with a time
// limit. Invariant: once it has failed it stays failed; what the agent sends is bounded before it
// is held.
#pragma once

#include <string>

#include "drivers/agent/agent_protocol.h"
#include "drivers/agent_client.h"

namespace fairwire {

class AgentMachine::Connection {
 public:
  Connection(AgentLink link, std::string machine);
  ~Connection();

  /// The agent's first line.
  Json hello(Nanoseconds timeout);
  /// The answer's `ok`; throws what its `error` says.
  Json call(std::string_view method, Json params, Nanoseconds timeout, bool interruptible);

 private:
  void send(const std::string& line, Nanoseconds until);
  std::string receive(Nanoseconds until, bool interruptible);
  [[noreturn]] void fail(const std::string& reason);
  std::string last_errors() const;
  std::string where() const;
  void say_goodbye();

  AgentLink link_;
  std::string machine_;
  std::string doing_ = "hello";
  std::string failure_;
  LineReader reader_;
  int64_t last_id_ = 0;
};

}  // namespace fairwire
