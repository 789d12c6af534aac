#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "base/error.h"
#include "base/log.h"
#include "datasets/generate.h"
#include "datasets/manifest.h"
#include "datasets/spec.h"
#include "datasets/tree_walk.h"
#include "drivers/tool.h"
#include "harness/data_files.h"
#include "harness/verbs.h"
#include "harness/verify.h"

namespace fairwire {
namespace {

DatasetSpec load_spec(const std::string& name) {
  const std::string file = find_data_file(kSpecsRoom, name, "", "");
  return parse_dataset_spec(Json::parse_file(file), file);
}

// Redrawn in place on a terminal, silent elsewhere: output of a verb stays a result.
void show_progress(int64_t bytes, int64_t entries) {
  if (::isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\x1b[K{} entries, {:.1f} MB", entries, static_cast<double>(bytes) / 1e6);
}

void end_progress() {
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
}

std::string count_of(int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

ExitCode dataset_make_verb(const DatasetArguments& arguments) {
  const DatasetSpec spec = load_spec(arguments.spec);
  const GeneratedTree tree =
      generate_dataset(spec, arguments.seed, arguments.directory, show_progress);
  end_progress();
  fmt::print("{}: {}, {} bytes, seed {}\n", printable(arguments.directory),
             count_of(tree.files, "file", "files"), tree.bytes, arguments.seed);
  return ExitCode::good;
}

ExitCode dataset_manifest_verb(const DatasetArguments& arguments) {
  std::ofstream file;
  if (!arguments.out.empty()) {
    file.open(arguments.out, std::ios::binary | std::ios::trunc);
    if (!file) throw_system_error("open", arguments.out);
  }
  std::ostream& out = arguments.out.empty() ? std::cout : file;
  ManifestWriter writer(out);
  const WalkSummary summary =
      walk_tree(arguments.directory, {.hash = true, .threads = 0, .progress = show_progress},
                [&](const Entry& entry) { writer.write(entry); });
  writer.finish();
  out.flush();
  end_progress();
  if (!out)
    throw SystemError("write", arguments.out.empty() ? "standard output" : arguments.out, EIO);
  if (summary.problems > 0) {
    log_warning(count_of(summary.problems, "entry", "entries") +
                " could not be read: see \"problem\"");
    return ExitCode::not_measured;
  }
  return ExitCode::good;
}

ExitCode dataset_list_verb() {
  for (const std::string& name : list_data_files(kSpecsRoom)) {
    fmt::print("{:<22} {}\n", name, load_spec(name).title);
  }
  return ExitCode::good;
}

ExitCode verify_verb(const VerifyArguments& arguments) {
  const VerifyResult result = verify_directory(
      arguments.directory, arguments.list, arguments.threads,
      [&](const Difference& difference) {
        if (arguments.quiet) return;
        const bool both = !difference.wanted.empty() || !difference.landed.empty();
        fmt::print("{}: {}{}\n", to_string(difference.kind), printable(difference.path),
                   both ? ": wanted " + printable(difference.wanted) + ", landed " +
                              printable(difference.landed)
                        : "");
      },
      show_progress);
  end_progress();
  const DiffResult& diff = result.diff;
  if (result.had_crlf) log_info(arguments.list + " has CRLF line ends; read as if they were LF");
  const PropertyCounts& counts = diff.properties;
  const int64_t metadata =
      counts.mode.different + counts.mtime.different + counts.hard_link.different;
  const int64_t local = counts.sparse.different + counts.xattr.different + counts.owner.different;
  const bool same = diff.same_file_set() && diff.same_content() && metadata == 0;
  const bool covered = diff.covers_all();
  fmt::print("{}: {} wanted, {} landed, {} missing, {} extra, {} different{}{}\n",
             !same     ? "MISMATCH"
             : covered ? "verified"
                       : "NOT VERIFIED (the list has files without a digest)",
             diff.wanted_entries, diff.landed_entries, diff.missing, diff.extra,
             diff.content_different + diff.unreadable,
             result.content_only
                 ? " (content of regular files only)"
                 : fmt::format(", {} with other metadata, {} with other attributes, "
                               "owner or holes",
                               metadata, local),
             result.not_regular > 0
                 ? fmt::format(", {}", count_of(result.not_regular, "entry is not a regular file",
                                                "entries are not regular files"))
                 : "");
  if (!same) return ExitCode::mismatch;
  return covered ? ExitCode::good : ExitCode::not_measured;
}

ExitCode tools_list_verb() {
  for (const std::string& name : list_data_files(kToolsRoom)) {
    const ToolSpec tool = load_tool(find_data_file(kToolsRoom, name, "", ""));
    std::string can;
    for (const std::string& scenario : tool.can) can += (can.empty() ? "" : ", ") + scenario;
    fmt::print("{:<16} {:<28} {}\n", tool.name, tool.title, can.empty() ? "(a service)" : can);
  }
  return ExitCode::good;
}

ExitCode tools_check_verb(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const ToolSpec tool = load_tool(find_data_file(kToolsRoom, file, "", ""));
    fmt::print("{}: good, schema 1\n", printable(tool.file));
  }
  return ExitCode::good;
}

}  // namespace fairwire
