#include "harness/cli_internal.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/file_descriptor.h"
#include "drivers/agent.h"
#include "drivers/calibration_probes.h"
#include "drivers/controls.h"
#include "drivers/machines/netns_init.h"
#include "drivers/wires/forwarder.h"
#include "harness/tree_service.h"

namespace fairwire {
namespace {

void add_parts(CLI::App& app, Action& action) {
  CLI::App* agent = app.add_subcommand("agent", "serve a harness on stdin and stdout")->group("");
  agent->prefix_command();
  agent->callback([&action, agent] {
    action = [words = agent->remaining()] {
      DatasetTreeService trees;
      return static_cast<ExitCode>(
          serve_agent(parse_agent_options(words), trees, STDIN_FILENO, STDOUT_FILENO));
    };
  });
  CLI::App* forward = app.add_subcommand("forward", "carry an emulated wire")->group("");
  auto wire = std::make_shared<std::string>();
  forward->add_option("options", *wire)->required();
  forward->callback([&action, wire] {
    action = [wire] {
      return static_cast<ExitCode>(
          run_forwarder(Json::parse(*wire, "forward"), STDIN_FILENO, STDOUT_FILENO));
    };
  });
  CLI::App* init = app.add_subcommand("netns-init", "become a fresh machine")->group("");
  auto json = std::make_shared<std::string>();
  init->add_option("options", *json)->required();
  init->callback([&action, json] {
    action = [json]() -> ExitCode {
      run_netns_init(netns_init_options_from(Json::parse(*json, "netns-init")));
    };
  });
}

void add_controls(CLI::App& app, Action& action) {
  CLI::App* pipe = app.add_subcommand("pipe", "raw TCP, both ends")->group("");
  pipe->require_subcommand(1);
  auto request = std::make_shared<PipeRequest>();
  auto ms = std::make_shared<int64_t>(2000);
  auto ramp_ms = std::make_shared<int64_t>(0);
  auto out = std::make_shared<std::string>();
  CLI::App* serve = pipe->add_subcommand("serve", "send what is asked for");
  serve->add_option("--port", request->port)->required()->check(CLI::Range(1, 65535));
  serve->callback(
      [&action, request] { action = [request]() -> ExitCode { serve_pipe(request->port); }; });
  CLI::App* fetch = pipe->add_subcommand("fetch", "receive and count");
  fetch->add_option("--from", request->host)->required();
  fetch->add_option("--port", request->port)->required()->check(CLI::Range(1, 65535));
  fetch->add_option("--streams", request->streams)->check(CLI::Range(1, 64));
  fetch->add_option("--bytes", request->bytes)
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  fetch->add_option("--ms", *ms)->check(CLI::Range(1, 10'000));
  fetch->add_option("--ramp-ms", *ramp_ms)->check(CLI::Range(0, 10'000));
  fetch->add_flag("--rate-only{false}", request->drains, "leave when the time is over");
  fetch->add_option("--out", *out)->required();
  fetch->callback([&action, request, ms, ramp_ms, out] {
    action = [=] {
      request->at_most = std::chrono::milliseconds(*ms);
      request->ramp = std::chrono::milliseconds(*ramp_ms);
      const ControlReading reading = fetch_pipe(*request);
      write_reading(reading, *out);
      return reading.agreed || !request->drains ? ExitCode::good : ExitCode::mismatch;
    };
  });
  CLI::App* kernel = app.add_subcommand("kernel", "fixed work on CPU and disk")->group("");
  auto folder = std::make_shared<std::string>();
  kernel->add_option("--folder", *folder)->required();
  kernel->add_option("--out", *out)->required();
  kernel->callback([&action, folder, out] {
    action = [=] {
      const ControlReading reading = run_kernel(*folder);
      write_reading(reading, *out);
      return reading.agreed ? ExitCode::good : ExitCode::mismatch;
    };
  });
}

void add_probes(CLI::App& app, Action& action) {
  CLI::App* echo = app.add_subcommand("echo", "UDP echo, both ends")->group("");
  echo->require_subcommand(1);
  auto request = std::make_shared<EchoRequest>();
  auto out = std::make_shared<std::string>();
  CLI::App* serve = echo->add_subcommand("serve", "send every datagram back");
  serve->add_option("--port", request->port)->required()->check(CLI::Range(1, 65535));
  serve->callback(
      [&action, request] { action = [request]() -> ExitCode { serve_echo(request->port); }; });
  CLI::App* probe = echo->add_subcommand("probe", "measure round trips");
  probe->add_option("--to", request->host)->required();
  probe->add_option("--port", request->port)->required()->check(CLI::Range(1, 65535));
  probe->add_option("--number", request->number)->check(CLI::Range(1, 10'000));
  probe->add_option("--out", *out)->required();
  probe->callback([&action, request, out] {
    action = [=] {
      write_file(*out, to_json(probe_echo(*request)).dump() + "\n");
      return ExitCode::good;
    };
  });
  CLI::App* host = app.add_subcommand("host-probe", "what this host can do")->group("");
  auto folder = std::make_shared<std::string>();
  host->add_option("--folder", *folder)->required();
  host->add_option("--out", *out)->required();
  host->callback([&action, folder, out] {
    action = [=] {
      write_file(*out, to_json(probe_host(*folder)).dump() + "\n");
      return ExitCode::good;
    };
  });
}

}  // namespace

void add_internal_verbs(CLI::App& app, Action& action) {
  add_parts(app, action);
  add_controls(app, action);
  add_probes(app, action);
}

}  // namespace fairwire
