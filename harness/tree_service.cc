#include "harness/tree_service.h"

#include <cerrno>
#include <fstream>

#include "base/error.h"
#include "datasets/generate.h"
#include "datasets/manifest.h"
#include "datasets/mutate.h"
#include "datasets/spec.h"
#include "datasets/tree_walk.h"

namespace fairwire {
namespace {

constexpr char kFromHarness[] = "data set recipe";

}  // namespace

TreeSummary DatasetTreeService::make(const Json& spec, uint64_t seed, const std::string& path) {
  const GeneratedTree made = generate_dataset(parse_dataset_spec(spec, kFromHarness), seed, path);
  TreeSummary summary;
  summary.files = made.files;
  summary.bytes = made.bytes;
  return summary;
}

int64_t DatasetTreeService::mutate(const Json& script, uint64_t seed, const std::string& path) {
  return mutate_tree(parse_mutation_script(script, "mutation script"), seed, path).new_bytes;
}

TreeSummary DatasetTreeService::manifest(const std::string& path, const std::string& out,
                                         bool hash) {
  std::ofstream file(out, std::ios::binary | std::ios::trunc);
  if (!file) throw_system_error("open", out);
  ManifestWriter writer(file);
  const WalkSummary walked = walk_tree(path, {.hash = hash, .threads = 0, .progress = {}},
                                       [&](const Entry& entry) { writer.write(entry); });
  const std::string root = to_hex(writer.root());
  const Digest digest = writer.finish();
  file.close();
  if (!file) throw SystemError("write", out, EIO);
  return {walked.entries, walked.files, walked.bytes, to_hex(digest), walked.allocated_bytes, root};
}

}  // namespace fairwire
