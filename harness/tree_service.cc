#include "harness/tree_service.h"

#include <fcntl.h>

#include <cerrno>
#include <fstream>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "datasets/generate.h"
#include "datasets/manifest.h"
#include "datasets/mutate.h"
#include "datasets/spec.h"
#include "datasets/tree_walk.h"

namespace fairwire {
namespace {

constexpr char kFromHarness[] = "data set recipe";

// Of the whole file, closing line included: what sha256sum says of it.
Digest file_digest(const std::string& path) {
  const FileDescriptor file = open_file(path, O_RDONLY);
  Sha256 hash;
  std::vector<std::byte> buffer(1 << 20);
  while (const size_t count = file.read_some(buffer)) hash.update(std::span(buffer).first(count));
  return hash.finish();
}

}  // namespace

TreeSummary DatasetTreeService::make(const Json& spec, uint64_t seed, const std::string& path) {
  const GeneratedTree made = generate_dataset(parse_dataset_spec(spec, kFromHarness), seed, path);
  TreeSummary summary;
  summary.files = made.files;
  summary.bytes = made.bytes;
  return summary;
}

void DatasetTreeService::mutate(const Json& script, uint64_t seed, const std::string& path) {
  mutate_tree(parse_mutation_script(script, "mutation script"), seed, path);
}

TreeSummary DatasetTreeService::manifest(const std::string& path, const std::string& out,
                                         bool hash) {
  std::ofstream file(out, std::ios::binary | std::ios::trunc);
  if (!file) throw_system_error("open", out);
  ManifestWriter writer(file);
  const WalkSummary walked = walk_tree(path, {.hash = hash, .threads = 0, .progress = {}},
                                       [&](const Entry& entry) { writer.write(entry); });
  writer.finish();
  file.close();
  if (!file) throw SystemError("write", out, EIO);
  return {walked.entries, walked.files, walked.bytes, to_hex(file_digest(out))};
}

}  // namespace fairwire
