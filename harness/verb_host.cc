#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <charconv>
#include <stdexcept>

#include "base/error.h"
#include "base/log.h"
#include "datasets/spec.h"
#include "drivers/agent/agent_host.h"
#include "drivers/interrupt.h"
#include "drivers/machines/local.h"
#include "drivers/sweep.h"
#include "drivers/wires/link_command.h"
#include "harness/builders.h"
#include "harness/context.h"
#include "harness/data_files.h"
#include "harness/plan_cost.h"
#include "harness/progress.h"
#include "harness/runner.h"
#include "harness/verbs.h"

namespace fairwire {
namespace {

void say(const std::string& what, const std::string& answer) {
  fmt::print("{:<22} {}\n", what, printable(answer));
}

// Builds one machine and takes it down again: the only honest way to know.
std::string try_machine(const MachineSpec& spec, const TestbedSpec& testbed) {
  try {
    const Site site(testbed, 1);
    const Nanoseconds start = monotonic_now();
    const auto machine = site.builders().machine(spec);
    return "yes, built in " + rough_duration(monotonic_now() - start) + ", CPU by " +
           machine->meter(false).cpu_method;
  } catch (const std::exception& error) {
    return std::string("no: ") + error.what();
  }
}

bool check_host() {
  struct statvfs status {};
  const bool has_shm = ::statvfs("/dev/shm", &status) == 0;
  say("user", ::geteuid() == 0 ? "root" : "not root: namespaces need it; type sudo fairwire …");
  say("memory for data", has_shm ? fmt::format("{:.1f} GiB free in /dev/shm",
                                               static_cast<double>(status.f_bavail) *
                                                   static_cast<double>(status.f_frsize) / (1 << 30))
                                 : "no /dev/shm");
  say("page caches", ::access("/proc/sys/vm/drop_caches", W_OK) == 0
                         ? "can be dropped (cache: cold)"
                         : "stay: only root may drop them");
  TestbedSpec testbed;
  MachineSpec netns;
  netns.name = "check";
  netns.kind = "netns";
  testbed.machines = {netns};
  const std::string answer = try_machine(netns, testbed);
  say("fresh machines", answer);
  return answer.starts_with("yes");
}

void check_tools(Machine& machine) {
  for (const std::string& name : list_data_files(kToolsRoom)) {
    const ToolSpec tool = load_tool(find_data_file(kToolsRoom, name, "", ""));
    std::string missing;
    for (const std::string& binary : tool.binaries) {
      const std::string program = expand(binary, {{"fairwire", machine.info().self}}, tool.file);
      if (machine.resolve_program(program).is_null()) missing += " " + program;
    }
    say("tool " + name, missing.empty() ? "there" : "not installed:" + missing);
  }
}

}  // namespace

namespace {

int64_t rate_of(const std::string& text, const char* option) {
  const Json rate(text);
  return parse_rate(JsonView(rate, option));
}

LinkLimit link_limit(const LinkArguments& arguments, const std::string& own, const char* option,
                     const std::string& trace) {
  LinkLimit limit;
  const std::string& rate = own.empty() ? arguments.rate : own;
  if (!trace.empty()) {
    if (!own.empty()) throw UsageError(std::string(option) + " and its trace exclude each other");
    limit.trace.file = trace;
    limit.trace.repeat = std::chrono::seconds(arguments.repeat_s);
    limit.trace.trace = std::make_shared<WireTrace>(load_trace(trace, limit.trace.repeat));
  } else if (!rate.empty()) {
    limit.bits_per_second = rate_of(rate, own.empty() ? "--rate" : option);
  }
  const std::string& queue = arguments.queue;
  if (queue.find_first_not_of("0123456789") == std::string::npos) {
    if (queue.size() > 15) throw UsageError("--queue is too long");
    limit.queue_bytes = queue.empty() ? 0 : std::stoll(queue);
  } else {
    limit.queue_time = parse_duration(queue);
  }
  return limit;
}

BurstLoss burst_of(const std::string& text) {
  BurstLoss burst;
  if (text.empty()) return burst;
  const size_t first = text.find(',');
  const size_t second = first == text.npos ? text.npos : text.find(',', first + 1);
  const auto share = [&](const std::string& word) {
    double value = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && value <= 1)) {
      throw UsageError("--burst takes ENTER,LEAVE[,LOSS], shares from 0 to 1");
    }
    return value;
  };
  burst.enter = share(text.substr(0, first));
  burst.leave = first == text.npos ? share("") : share(text.substr(first + 1, second - first - 1));
  if (second != text.npos) burst.loss = share(text.substr(second + 1));
  return burst;
}

}  // namespace

ExitCode trace_verb(const TraceArguments& arguments) {
  WalkOptions options;
  options.seed = arguments.seed;
  options.length = std::chrono::seconds(arguments.seconds);
  options.step = std::chrono::milliseconds(arguments.step_ms);
  options.least_bits_per_second = rate_of(arguments.least, "--from");
  options.most_bits_per_second = rate_of(arguments.most, "--to");
  try {
    fmt::print("{}", make_walk(options));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  return ExitCode::good;
}

ExitCode link_verb(const LinkArguments& arguments) {
  LinkOptions options;
  options.self_binary = own_binary();
  options.up = link_limit(arguments, arguments.up, "--up", arguments.up_trace);
  options.down = link_limit(arguments, arguments.down, "--down", arguments.down_trace);
  options.burst = burst_of(arguments.burst);
  options.round_trip = parse_duration(arguments.rtt);
  options.jitter = parse_duration(arguments.jitter);
  options.loss = arguments.loss;
  options.seed = arguments.seed;
  options.nat = nat_kind_named(arguments.nat);
  options.peer_nat = nat_kind_named(arguments.peer_nat);
  options.peer = arguments.peer;
  options.command = arguments.command;
  catch_interrupts();
  return static_cast<ExitCode>(run_link(options));
}

ExitCode check_verb(const std::string& plan_name) {
  const auto machine = make_local_machine("here", own_binary(), owner_token());
  const bool fit = check_host();
  check_tools(*machine);
  if (!plan_name.empty()) {
    const Plan plan = load_plan(find_data_file(kPlansRoom, plan_name, "", ""));
    const TestbedSpec testbed =
        load_testbed(find_data_file(kTestbedsRoom, plan.testbed, plan.file, "/testbed"));
    const PlanCost cost = plan_cost(plan, testbed);
    say("plan " + plan.name,
        fmt::format("{} trials, about {}, {:.1f} MB over the wires", cost.trials,
                    rough_duration(cost.duration), static_cast<double>(cost.bytes) / 1e6));
  }
  return fit ? ExitCode::good : ExitCode::not_measured;
}

}  // namespace fairwire
