// The calls of the protocol, by what answers them: a state of a program, the loop at once, or a
// helper.
#include <dirent.h>

#include "base/error.h"
#include "base/temp_dir.h"
#include "drivers/agent/agent_files.h"
#include "drivers/agent/agent_messages.h"
#include "drivers/agent/agent_session.h"

namespace fairwire {

void AgentSession::dispatch(const AgentCall& call, const JsonView& view) {
  if (dispatch_exec(call, view) || dispatch_short(call, view) || dispatch_helper(call, view) ||
      dispatch_tree(call, view)) {
    return;
  }
  view.at("call").fail("\"" + call.name + "\" is no call of the agent");
}

bool AgentSession::dispatch_exec(const AgentCall& call, const JsonView& view) {
  const auto handle = [&] { return static_cast<int>(view.at("handle").as_int(1, 1 << 30)); };
  if (call.name == "start") {
    view.allow_only({"id", "call", "spec"});
    send(answer_line(call.id, execs_.start(exec_spec_from(view.at("spec")))));
  } else if (call.name == "wait") {
    view.allow_only({"id", "call", "handle", "timeout_ns"});
    const Nanoseconds until = monotonic_now() + duration_from(view.at("timeout_ns"));
    execs_.report(handle());  // refuses an unknown one now
    waiters_.push_back({call.id, handle(), until, false});
  } else if (call.name == "stop") {
    view.allow_only({"id", "call", "handle", "grace_ns"});
    execs_.stop(handle(), duration_from(view.at("grace_ns")));
    waiters_.push_back({call.id, handle(), Nanoseconds::max(), true});
  } else if (call.name == "signal") {
    view.allow_only({"id", "call", "handle", "signal"});
    execs_.signal(handle(), static_cast<int>(view.at("signal").as_int(1, 64)));
    send(answer_line(call.id, nullptr));
  } else {
    return false;
  }
  return true;
}

bool AgentSession::dispatch_short(const AgentCall& call, const JsonView& view) {
  Json answer;
  if (call.name == "meter") {
    view.allow_only({"id", "call", "reset_peak"});
    answer = to_json(meter_.read(view.at("reset_peak").as_bool()));
  } else if (call.name == "count_calls") {
    view.allow_only({"id", "call"});
    answer = meter_.count_calls();
  } else if (call.name == "free_port") {
    view.allow_only({"id", "call"});
    answer = find_free_port(given_ports_);
  } else if (call.name == "put") {
    answer = put_chunk(view);
  } else if (call.name == "get") {
    answer = get_chunk(view);
  } else if (call.name == "make_directory") {
    answer = make_directory_call(view);
  } else {
    return false;
  }
  send(answer_line(call.id, std::move(answer)));
  return true;
}

bool AgentSession::dispatch_helper(const AgentCall& call, const JsonView& view) {
  if (call.name == "wait_for_tcp") {
    workers_.start(call.id, [&] { return wait_for_tcp_call(view); });
  } else if (call.name == "wait_for_file") {
    workers_.start(call.id, [&] { return wait_for_file_call(view); });
  } else if (call.name == "sync") {
    meter_.note_own_call();
    workers_.start(call.id, [&] { return sync_call(view); });
  } else if (call.name == "drop_caches") {
    view.allow_only({"id", "call"});
    workers_.start(call.id, [] { return drop_caches_call(); });
  } else if (call.name == "resolve_program") {
    workers_.start(call.id, [&] { return resolve_program_call(view, place_.path); });
  } else if (call.name == "remove") {
    view.allow_only({"id", "call", "path"});
    const std::string path = path_from(view.at("path"));
    if (path.find_first_not_of('/') == std::string::npos) view.at("path").fail("must not be /");
    workers_.start(call.id, [&] { return remove_path(path), Json(); });
  } else {
    return false;
  }
  return true;
}

void AgentSession::remove_path(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  if (path == place_.work) return folders_.empty_work();
  remove_tree(path);
}

bool AgentSession::dispatch_tree(const AgentCall& call, const JsonView& view) {
  const auto path = [&](const char* key) { return path_from(view.at(key)); };
  if (call.name == "make_dataset") {
    view.allow_only({"id", "call", "spec", "seed", "path"});
    workers_.start(call.id, [&] {
      return to_json(trees_.make(view.at("spec").json(), seed_from(view.at("seed")), path("path")));
    });
  } else if (call.name == "mutate") {
    view.allow_only({"id", "call", "script", "seed", "path"});
    workers_.start(call.id, [&] {
      const int64_t bytes =
          trees_.mutate(view.at("script").json(), seed_from(view.at("seed")), path("path"));
      return Json::object({{"new_bytes", bytes}});
    });
  } else if (call.name == "manifest") {
    view.allow_only({"id", "call", "path", "out", "hash"});
    workers_.start(call.id, [&] {
      return to_json(trees_.manifest(path("path"), path("out"), view.at("hash").as_bool()));
    });
  } else {
    return false;
  }
  return true;
}

}  // namespace fairwire
