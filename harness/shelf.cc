#include "harness/shelf.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/temp_dir.h"
#include "harness/data_files.h"

namespace fairwire {
namespace {

constexpr int64_t kMaximumManifest = int64_t{2} << 30;
constexpr size_t kMaximumRecipe = 1 << 20;

std::string fingerprint(Machine& machine, const std::string& path, const std::string& out) {
  const std::string digest = machine.manifest(path, out, false).digest;
  machine.remove(out);
  return digest;
}

}  // namespace

Shelf::Shelf(std::string folder, std::string asked_by, uint64_t seed)
    : folder_(std::move(folder)), asked_by_(std::move(asked_by)), seed_(seed) {}

const SourceTree& Shelf::provide(Machine& machine, const std::string& dataset) {
  const auto key = std::make_pair(machine.info().name, dataset);
  if (const auto found = trees_.find(key); found != trees_.end()) {
    if (unchanged(machine, found->second)) return found->second;
    log_warning("the data set " + dataset + " on " + machine.info().name +
                " is no longer what was made; making it again");
    trees_.erase(found);
  }
  return trees_.emplace(key, make(machine, dataset)).first->second;
}

bool Shelf::unchanged(Machine& machine, const SourceTree& source) {
  return fingerprint(machine, source.path, source.path + ".now") == source.fingerprint;
}

SourceTree Shelf::make(Machine& machine, const std::string& dataset) {
  const std::string file = find_data_file(kSpecsRoom, dataset, asked_by_, "");
  const std::string text = read_file(file, kMaximumRecipe);
  const Json recipe = Json::parse(text, file);
  const JsonView view(recipe, file);
  SourceTree source;
  source.name = view.at("name").as_nonempty_string();
  source.title = view.string_or("title", source.name);
  const std::string home =
      machine.info().store + "/" + to_hex(sha256(text)).substr(0, 16) + "-" + std::to_string(seed_);
  source.path = home + "/tree";
  machine.remove(home);
  machine.make_directory(home);
  machine.make_dataset(recipe, seed_, source.path);
  make_directories(folder_);
  describe(machine, source, folder_ + "/" + source.name + "-" + machine.info().name + ".manifest");
  return source;
}

void Shelf::make_copy(Machine& machine, const std::string& dataset, const std::string& path) const {
  const std::string file = find_data_file(kSpecsRoom, dataset, asked_by_, "");
  machine.make_dataset(Json::parse_file(file, kMaximumRecipe), seed_, path);
}

void Shelf::describe(Machine& machine, SourceTree& source, const std::string& local) const {
  const std::string remote = source.path + ".manifest";
  source.summary = machine.manifest(source.path, remote, true);
  source.fingerprint = fingerprint(machine, source.path, source.path + ".now");
  source.manifest = local;
  make_directories(local.substr(0, local.rfind('/')));
  if (machine.fetch(remote, local, kMaximumManifest) != source.summary.digest) {
    throw ProtocolError("the manifest of " + source.name + " did not come home whole from " +
                        machine.info().name);
  }
}

}  // namespace fairwire
