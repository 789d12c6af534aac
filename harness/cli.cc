#include "harness/cli.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "base/error.h"
#include "drivers/wires/nat_router.h"
#include "harness/cli_internal.h"
#include "harness/fairwire.h"
#include "harness/verbs.h"

namespace fairwire {
namespace {

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

void add_resume(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("resume", "go on with a run that was cut short");
  auto run = std::make_shared<std::string>();
  verb->add_option("run", *run, "its folder")->required();
  verb->callback([&action, run] { action = [run] { return resume_verb(*run); }; });
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
  verb->add_option("--up", arguments->up, "from COMMAND to its peer; wins over --rate");
  verb->add_option("--down", arguments->down, "and back");
  verb->add_option("--up-trace", arguments->up_trace, "a trace instead of a rate (docs/wire.md)");
  verb->add_option("--down-trace", arguments->down_trace, "and back");
  verb->add_option("--repeat", arguments->repeat_s, "seconds after which a CSV trace begins again")
      ->check(CLI::Range(0, 604'800));
  verb->add_option("--queue", arguments->queue, "each way: bytes, or a time at the rate (20ms)");
  verb->add_option("--burst", arguments->burst, "bursts of loss, each way: ENTER,LEAVE[,LOSS]");
  verb->add_option("--rtt", arguments->rtt, "round trip: 80ms; default: 0ms")
      ->capture_default_str();
  verb->add_option("--jitter", arguments->jitter, "each way, added")->capture_default_str();
  verb->add_option("--loss", arguments->loss, "share of packets, each way")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--seed", arguments->seed, "of loss and jitter")->capture_default_str();
  const CLI::IsMember is_nat(std::vector<std::string>(kNatKinds.begin(), kNatKinds.end()));
  verb->add_option("--nat", arguments->nat, "a router before COMMAND's side")->check(is_nat);
  verb->add_option("--peer-nat", arguments->peer_nat, "a router before the peer")->check(is_nat);
  verb->add_option("--peer", arguments->peer, "a command on the other side, its words in one text");
  verb->add_option("command", arguments->command,
                   "after --: the command; $FAIRWIRE_PEER is the other side")
      ->required();
  verb->callback([&action, arguments] { action = [arguments] { return link_verb(*arguments); }; });
}

void add_trace(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("trace", "print a made-up trace of a link, by its seed");
  auto arguments = std::make_shared<TraceArguments>();
  verb->add_option("--seed", arguments->seed, "the same seed, the same trace")
      ->capture_default_str();
  verb->add_option("--seconds", arguments->seconds, "its length")
      ->check(CLI::Range(1, 604'800))
      ->capture_default_str();
  verb->add_option("--step-ms", arguments->step_ms, "between two rates")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  verb->add_option("--from", arguments->least, "the least rate")->capture_default_str();
  verb->add_option("--to", arguments->most, "the highest rate")->capture_default_str();
  verb->callback([&action, arguments] { action = [arguments] { return trace_verb(*arguments); }; });
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
  add_resume(app, action);
  add_report(app, action);
  add_compare(app, action);
  add_verify(app, action);
  add_dataset(app, action);
  add_tools(app, action);
  add_host(app, action);
  add_link(app, action);
  add_trace(app, action);
  add_internal_verbs(app, action);
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
