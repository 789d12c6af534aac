#include "harness/cli.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "base/error.h"
#include "drivers/agent.h"
#include "drivers/controls.h"
#include "drivers/machines/netns_init.h"
#include "drivers/wires/forwarder.h"
#include "harness/fairwire.h"
#include "harness/tree_service.h"
#include "harness/verbs.h"

namespace fairwire {
namespace {

using Action = std::function<ExitCode()>;

// Each verb owns its arguments until it is called: CLI11 writes into them while it parses.
void add_run(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("run", "carry out a plan: run, record, judge, report");
  auto arguments = std::make_shared<RunArguments>();
  verb->add_option("plan", arguments->plan, "a plan file, or the name of a shipped one")
      ->required();
  verb->add_option("--testbed", arguments->testbed, "another testbed than the plan's own");
  verb->add_option("--runs", arguments->runs, "folder for run folders")->capture_default_str();
  verb->callback([&action, arguments] { action = [arguments] { return run_verb(*arguments); }; });
}

void add_report(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("report", "write the page of one or more runs again");
  auto arguments = std::make_shared<ReportArguments>();
  verb->add_option("runs", arguments->runs, "run folders, or results.jsonl files")->required();
  verb->add_option("--page", arguments->page, "a page file, or the name of a shipped one");
  verb->add_option("--out", arguments->out,
                   "folder for the page; default: report/ of the first run");
  verb->callback(
      [&action, arguments] { action = [arguments] { return report_verb(*arguments); }; });
}

void add_compare(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("compare", "hold two runs or two variants against each other");
  auto arguments = std::make_shared<CompareArguments>();
  verb->add_option("runs", arguments->runs,
                   "BEFORE AFTER; with --baseline and --variant: the runs that hold both");
  verb->add_option("--baseline", arguments->baseline, "a variant measured in the same rounds");
  verb->add_option("--variant", arguments->variant, "the variant held against it");
  verb->add_option("--plan", arguments->plan,
                   "carry out this plan, compare its first two variants");
  verb->add_option("--testbed", arguments->testbed, "of --plan: another testbed than its own");
  verb->add_option("--runs", arguments->folder, "of --plan: folder for run folders")
      ->capture_default_str();
  verb->add_option("--threshold", arguments->threshold_percent,
                   "percent below which times are the same; default: the plan's, or 5")
      ->check(CLI::Range(0.1, 100.0));
  verb->callback(
      [&action, arguments] { action = [arguments] { return compare_verb(*arguments); }; });
}

void add_verify(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("verify", "hold a folder against a list of SHA-256 digests");
  auto arguments = std::make_shared<VerifyArguments>();
  verb->add_option("directory", arguments->directory, "the folder")->required();
  verb->add_option("list", arguments->list, "a list by sha256sum, or a manifest of ours")
      ->required();
  verb->add_option("--threads", arguments->threads, "hashing threads; default: one a core")
      ->check(CLI::Range(1, 256));
  verb->add_flag("--quiet", arguments->quiet, "only the last line");
  verb->callback(
      [&action, arguments] { action = [arguments] { return verify_verb(*arguments); }; });
}

void add_dataset(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("dataset", "make data sets and manifests");
  verb->require_subcommand(1);
  auto arguments = std::make_shared<DatasetArguments>();
  CLI::App* make = verb->add_subcommand("make", "make a recipe's tree, the same bytes everywhere");
  make->add_option("spec", arguments->spec, "a recipe file, or the name of a shipped one")
      ->required();
  make->add_option("directory", arguments->directory, "must not exist yet")->required();
  make->add_option("--seed", arguments->seed, "of the content")->capture_default_str();
  make->callback(
      [&action, arguments] { action = [arguments] { return dataset_make_verb(*arguments); }; });
  CLI::App* manifest = verb->add_subcommand("manifest", "list and hash a tree");
  manifest->add_option("directory", arguments->directory, "the tree")->required();
  manifest->add_option("--out", arguments->out, "file to write; default: standard output");
  manifest->callback(
      [&action, arguments] { action = [arguments] { return dataset_manifest_verb(*arguments); }; });
  verb->add_subcommand("list", "the recipes that ship")->callback([&action] {
    action = dataset_list_verb;
  });
}

void add_tools(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("tools", "look at tool files");
  verb->require_subcommand(1);
  verb->add_subcommand("list", "the tools that ship")->callback([&action] {
    action = tools_list_verb;
  });
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* check = verb->add_subcommand("check", "say whether tool files are well formed");
  check->add_option("files", *files, "tool files, or names of shipped ones")->required();
  check->callback([&action, files] { action = [files] { return tools_check_verb(*files); }; });
}

void add_host(CLI::App& app, Action& action) {
  CLI::App* check =
      app.add_subcommand("check", "what this host can do, and what a plan would cost");
  auto plan = std::make_shared<std::string>();
  check->add_option("plan", *plan, "a plan file, or the name of a shipped one");
  check->callback([&action, plan] { action = [plan] { return check_verb(*plan); }; });
  app.add_subcommand("sweep", "remove what killed runs left on this host")->callback([&action] {
    action = sweep_verb;
  });
}

void add_link(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("link", "run a command behind an emulated link");
  auto arguments = std::make_shared<LinkArguments>();
  verb->add_option("--rate", arguments->rate, "each way: 40mbit, 1gbit; default: no limit");
  verb->add_option("--rtt", arguments->rtt, "round trip: 80ms; default: 0ms")
      ->capture_default_str();
  verb->add_option("--jitter", arguments->jitter, "each way, added")->capture_default_str();
  verb->add_option("--loss", arguments->loss, "share of packets, each way")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--seed", arguments->seed, "of loss and jitter")->capture_default_str();
  verb->add_option("--peer", arguments->peer, "a command on the other side, its words in one text");
  verb->add_option("command", arguments->command,
                   "after --: the command; $FAIRWIRE_PEER is the other side")
      ->required();
  verb->callback([&action, arguments] { action = [arguments] { return link_verb(*arguments); }; });
}

// The rest is called by fairwire itself, on machines; it stays out of --help.
void add_internal(CLI::App& app, Action& action) {
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
  auto seconds = std::make_shared<int64_t>(2);
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
  fetch->add_option("--seconds", *seconds)->check(CLI::Range(1, 10));
  fetch->add_option("--out", *out)->required();
  fetch->callback([&action, request, seconds, out] {
    action = [=] {
      request->at_most = std::chrono::seconds(*seconds);
      const ControlReading reading = fetch_pipe(*request);
      write_reading(reading, *out);
      return reading.agreed ? ExitCode::good : ExitCode::mismatch;
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

}  // namespace

ExitCode run_command_line(int argc, char** argv) {
  CLI::App app(
      "fairwire measures file sync and file transfer: fresh machines, the same wire for "
      "every tool, every pull verified by SHA-256.",
      "fairwire");
  app.set_version_flag("--version", "fairwire " + version());
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_report(app, action);
  add_compare(app, action);
  add_verify(app, action);
  add_dataset(app, action);
  add_tools(app, action);
  add_host(app, action);
  add_link(app, action);
  add_internal(app, action);
  add_controls(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success);
    return ExitCode::good;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "; see fairwire --help");
  }
  return action();
}

}  // namespace fairwire
