#include "drivers/agent_client.h"

#include <fcntl.h>

#include <algorithm>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/agent/agent_connection.h"
#include "drivers/agent/agent_messages.h"

namespace fairwire {
namespace {

// Making, hashing and removing trees and syncing disks take as long as they take; this only bounds
// a machine that is dead without a word.
constexpr std::chrono::hours kLongCall{6};
// The longest silence on a connection: a long wait is several calls.
constexpr std::chrono::seconds kLongPoll{30};
constexpr int64_t kMostKept = int64_t{1} << 30;  // of one file, in memory

Json path_only(const std::string& path) {
  return Json::object({{"path", escape_name(path)}});
}

Json duration(Nanoseconds time) {
  return int64_t{std::max(time, Nanoseconds::zero()).count()};
}

Json handle_only(int handle) {
  return Json::object({{"handle", handle}});
}

}  // namespace

AgentMachine::AgentMachine(AgentLink link, MachineSetup setup)
    : connection_(std::make_unique<Connection>(std::move(link), setup.name)),
      call_timeout_(setup.call_timeout) {
  const Json hello = connection_->hello(setup.call_timeout);
  info_ = hello_from(JsonView(hello, "machine " + setup.name + ": hello"));
  if (info_.name != setup.name) {
    throw ProtocolError("machine " + setup.name + ": its agent says it is " + info_.name);
  }
  info_.kind = setup.kind;
  info_.address = setup.address;
  info_.namespace_pid = setup.namespace_pid;
  if (!setup.connection.is_null()) info_.host.set("connection", setup.connection);
}

AgentMachine::~AgentMachine() = default;

const MachineInfo& AgentMachine::info() const {
  return info_;
}

Json AgentMachine::call(std::string_view method, Json params, Nanoseconds timeout,
                        Patience patience) {
  return connection_->call(method, std::move(params), timeout, patience == Patience::interruptible);
}

JsonView AgentMachine::view(const Json& answer) const {
  return JsonView(answer, "machine " + info_.name + ": answer");
}

int AgentMachine::start(const ExecSpec& spec) {
  const Json answer = call("start", Json::object({{"spec", to_json(spec)}}), call_timeout_);
  return static_cast<int>(view(answer).as_int(1, 1 << 30));
}

std::optional<ExecReport> AgentMachine::wait(int handle, Nanoseconds timeout) {
  const Nanoseconds until = monotonic_now() + timeout;
  while (true) {
    const Nanoseconds turn = std::min<Nanoseconds>(until - monotonic_now(), kLongPoll);
    Json params = handle_only(handle).set("timeout_ns", duration(turn));
    const Json answer =
        call("wait", std::move(params), std::max(turn, Nanoseconds::zero()) + call_timeout_,
             Patience::interruptible);
    if (!answer.is_null()) return exec_report_from(view(answer));
    if (monotonic_now() >= until) return std::nullopt;
  }
}

ExecReport AgentMachine::stop(int handle, Nanoseconds grace) {
  Json params = handle_only(handle).set("grace_ns", duration(grace));
  const Json answer = call("stop", std::move(params), grace + call_timeout_);
  return exec_report_from(view(answer));
}

void AgentMachine::signal(int handle, int signal_number) {
  call("signal", handle_only(handle).set("signal", signal_number), call_timeout_);
}

MeterReading AgentMachine::meter(bool reset_peak) {
  const Json answer = call("meter", Json::object({{"reset_peak", reset_peak}}), call_timeout_);
  return meter_reading_from(view(answer));
}

bool AgentMachine::wait_for_tcp(const std::string& host, int port, Nanoseconds timeout) {
  Json params = Json::object(
      {{"host", escape_name(host)}, {"port", port}, {"timeout_ns", duration(timeout)}});
  const Json answer =
      call("wait_for_tcp", std::move(params), timeout + call_timeout_, Patience::interruptible);
  return view(answer).as_bool();
}

bool AgentMachine::wait_for_file(const std::string& path, Nanoseconds timeout) {
  Json params = path_only(path).set("timeout_ns", duration(timeout));
  const Json answer =
      call("wait_for_file", std::move(params), timeout + call_timeout_, Patience::interruptible);
  return view(answer).as_bool();
}

int AgentMachine::free_port() {
  const Json answer = call("free_port", Json::object(), call_timeout_);
  return static_cast<int>(view(answer).as_int(1, 65535));
}

void AgentMachine::put(const std::string& path, const std::string& bytes, unsigned mode) {
  size_t offset = 0;
  do {
    const std::string_view chunk = std::string_view(bytes).substr(offset, kChunkBytes);
    Json params = path_only(path);
    params.set("mode", int64_t{mode & 07777}).set("offset", static_cast<int64_t>(offset));
    params.set("bytes", to_base64(chunk)).set("last", offset + chunk.size() == bytes.size());
    call("put", std::move(params), call_timeout_);
    offset += chunk.size();
  } while (offset < bytes.size());
}

std::optional<std::string> AgentMachine::get(const std::string& path, int64_t limit) {
  limit = std::clamp<int64_t>(limit, 0, kMostKept);
  std::string bytes;
  Json params = path_only(path).set("last", limit);
  int64_t begin = -1;
  int64_t wanted = 0;
  do {
    const Json answer = call("get", std::move(params), call_timeout_);
    if (answer.is_null()) return begin < 0 ? std::nullopt : std::make_optional(bytes);
    const int64_t offset = view(answer).at("offset").as_int(0);
    if (begin < 0) {
      begin = offset;
      wanted = std::min(limit, view(answer).at("size").as_int(0) - begin);
    }
    const auto chunk = from_base64(view(answer).at("bytes").as_string());
    if (!chunk) view(answer).at("bytes").fail("must be base64");
    bytes.append(*chunk, 0, static_cast<size_t>(limit) - bytes.size());
    if (chunk->empty()) break;  // it shrank meanwhile
    const auto have = static_cast<int64_t>(bytes.size());
    params = path_only(path).set("offset", begin + have).set("length", wanted - have);
  } while (static_cast<int64_t>(bytes.size()) < wanted);
  return bytes;
}

std::string AgentMachine::fetch(const std::string& path, const std::string& local,
                                int64_t most_bytes) {
  FileDescriptor file = open_file(local, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  Sha256 digest;
  int64_t size = 0;
  int64_t have = 0;
  do {
    const Json answer =
        call("get", path_only(path).set("offset", have).set("length", int64_t{kChunkBytes}),
             call_timeout_);
    if (answer.is_null() && have == 0) return "";
    size = answer.is_null() ? 0 : view(answer).at("size").as_int(0);
    if (size > most_bytes) {
      throw ProtocolError(path + " on " + info().name + " is longer than " +
                          std::to_string(most_bytes) + " bytes");
    }
    if (size < have) throw ProtocolError(path + " on " + info().name + " shrank while it was read");
    const auto chunk = from_base64(view(answer).at("bytes").as_string());
    if (!chunk) view(answer).at("bytes").fail("must be base64");
    if (chunk->empty() && have < size) {
      throw ProtocolError(path + " on " + info().name + " shrank while it was read");
    }
    file.write_all(*chunk);
    digest.update(*chunk);
    have += static_cast<int64_t>(chunk->size());
  } while (have < size);
  return to_hex(digest.finish());
}

void AgentMachine::make_directory(const std::string& path) {
  call("make_directory", path_only(path), call_timeout_);
}

void AgentMachine::remove(const std::string& path) {
  call("remove", path_only(path), kLongCall);
}

TreeSummary AgentMachine::make_dataset(const Json& spec, uint64_t seed, const std::string& path) {
  Json params = path_only(path).set("spec", spec).set("seed", std::to_string(seed));
  const Json answer = call("make_dataset", std::move(params), kLongCall, Patience::interruptible);
  return tree_summary_from(view(answer));
}

int64_t AgentMachine::mutate(const Json& script, uint64_t seed, const std::string& path) {
  Json params = path_only(path).set("script", script).set("seed", std::to_string(seed));
  const Json answer = call("mutate", std::move(params), kLongCall, Patience::interruptible);
  return view(answer).at("new_bytes").as_int(0);
}

TreeSummary AgentMachine::manifest(const std::string& path, const std::string& out, bool hash) {
  Json params = path_only(path).set("out", escape_name(out)).set("hash", hash);
  const Json answer = call("manifest", std::move(params), kLongCall, Patience::interruptible);
  return tree_summary_from(view(answer));
}

Nanoseconds AgentMachine::sync(const std::string& path) {
  const Json answer = call("sync", path_only(path), kLongCall, Patience::interruptible);
  return Nanoseconds(view(answer).as_int(0));
}

std::string AgentMachine::drop_caches() {
  const Json answer = call("drop_caches", Json::object(), kLongCall, Patience::interruptible);
  return bytes_of(view(answer));
}

std::string AgentMachine::count_calls() {
  const Json answer = call("count_calls", Json::object(), kLongCall, Patience::interruptible);
  return bytes_of(view(answer));
}

Json AgentMachine::resolve_program(const std::string& name) {
  const Json answer =
      call("resolve_program", Json::object({{"name", escape_name(name)}}), call_timeout_);
  if (answer.is_null()) return answer;
  view(answer).allow_only({"path", "sha256"});
  return Json::object({{"path", bytes_of(view(answer).at("path"))},
                       {"sha256", view(answer).at("sha256").as_string()}});
}

}  // namespace fairwire
