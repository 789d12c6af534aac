// One function a verb: what the command line calls once its words are understood. Each prints its
// answer to standard output, talks to the user on standard error, and returns the exit code;
// errors are thrown and become one line and an exit code in main.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/exit_code.h"

namespace fairwire {

struct RunArguments {
  std::string plan;
  std::string testbed;  ///< empty: the plan's own
  std::string runs = "runs";
};
ExitCode run_verb(const RunArguments& arguments);
ExitCode resume_verb(const std::string& run);

struct ReportArguments {
  std::vector<std::string> runs;  ///< run folders or results.jsonl files
  std::string page;
  std::string out;  ///< empty: report/ of the first run
};
ExitCode report_verb(const ReportArguments& arguments);

struct CompareArguments {
  std::vector<std::string> runs;  ///< BEFORE AFTER, or sessions of one plan with two variants
  std::string baseline;           ///< variants measured in the same rounds
  std::string variant;
  std::string plan;              ///< carry this out, and compare its first two variants
  std::string testbed;           ///< of --plan
  std::string folder = "runs";   ///< of --plan
  double threshold_percent = 0;  ///< 0: the plan's own, or 5
};
/// Holds runs or variants against each other; as a gate by its exit code (docs/method.md).
ExitCode compare_verb(const CompareArguments& arguments);

struct VerifyArguments {
  std::string directory;
  std::string list;
  unsigned threads = 0;
  bool quiet = false;
};
ExitCode verify_verb(const VerifyArguments& arguments);

struct DatasetArguments {
  std::string spec;
  std::string directory;
  std::string out;  ///< of a manifest; empty: standard output
  uint64_t seed = 1;
};
ExitCode dataset_make_verb(const DatasetArguments& arguments);
ExitCode dataset_manifest_verb(const DatasetArguments& arguments);
ExitCode dataset_list_verb();

ExitCode tools_list_verb();
/// Loads tool files and says of each whether it is well formed.
ExitCode tools_check_verb(const std::vector<std::string>& files);

struct LinkArguments {
  std::string rate;  ///< each way
  std::string up;    ///< wins over it
  std::string down;
  std::string up_trace;
  std::string down_trace;
  int64_t repeat_s = 0;  ///< of CSV traces; 0: hold
  std::string queue;     ///< "64000" bytes or "20ms"
  std::string burst;     ///< ENTER,LEAVE[,LOSS]
  std::string rtt = "0ms";
  std::string jitter = "0ms";
  double loss = 0;
  uint64_t seed = 1;
  std::string nat = "none";  ///< the kinds of docs/wire.md, "NAT routers"
  std::string peer_nat = "none";
  std::string peer;
  std::vector<std::string> command;
};
/// Runs a command behind an emulated link; the exit code is the command's.
ExitCode link_verb(const LinkArguments& arguments);

struct TraceArguments {
  uint64_t seed = 1;
  int64_t seconds = 60;
  int64_t step_ms = 100;
  std::string least = "1mbit";
  std::string most = "50mbit";
};
/// Prints a made-up trace: docs/wire.md, "Traces".
ExitCode trace_verb(const TraceArguments& arguments);

/// What this host can do, and what a plan would cost; `plan` may be empty.
ExitCode check_verb(const std::string& plan);
ExitCode sweep_verb();

}  // namespace fairwire
