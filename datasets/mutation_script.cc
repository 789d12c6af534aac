#include "datasets/mutate.h"
#include "datasets/path_json.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumSteps = 1'000;
constexpr int64_t kMaximumBytes = int64_t{1} << 32;
constexpr int64_t kMaximumBlockBytes = int64_t{1} << 30;

Mutation::Kind kind_of(const JsonView& view) {
  using Kind = Mutation::Kind;
  const std::string word = view.at("kind").as_one_of(
      {"append", "prepend", "insert", "overwrite_blocks", "rename", "touch", "remove"});
  if (word == "append") return Kind::append;
  if (word == "prepend") return Kind::prepend;
  if (word == "insert") return Kind::insert;
  if (word == "overwrite_blocks") return Kind::overwrite_blocks;
  if (word == "rename") return Kind::rename;
  return word == "touch" ? Kind::touch : Kind::remove;
}

void parse_details(const JsonView& view, Mutation& step) {
  switch (step.kind) {
    case Mutation::Kind::append:
    case Mutation::Kind::prepend:
    case Mutation::Kind::insert:
      view.allow_only({"kind", "path", "bytes"});
      step.bytes = view.at("bytes").as_int(1, kMaximumBytes);
      return;
    case Mutation::Kind::overwrite_blocks:
      view.allow_only({"kind", "path", "block_bytes", "per_thousand"});
      step.block_bytes = view.at("block_bytes").as_int(1, kMaximumBlockBytes);
      step.per_thousand = view.at("per_thousand").as_int(1, 1'000);
      return;
    case Mutation::Kind::rename:
      view.allow_only({"kind", "path", "to"});
      if (step.path == "*") view.at("path").fail("must name one entry: a rename has one new name");
      step.to = recipe_path_of(view.at("to"));
      if (step.to == step.path || step.to.starts_with(step.path + "/")) {
        view.at("to").fail("must not be the old path, nor lie beneath it");
      }
      return;
    case Mutation::Kind::touch:
    case Mutation::Kind::remove:
      return view.allow_only({"kind", "path"});
  }
}

Mutation parse_step(const JsonView& view) {
  Mutation step;
  step.kind = kind_of(view);
  step.path = recipe_path_of(view.at("path"));
  parse_details(view, step);
  return step;
}

}  // namespace

MutationScript parse_mutation_script(const Json& json, const std::string& file) {
  const JsonView root(json, file);
  root.allow_only({"schema", "name", "steps"});
  root.at("schema").as_int(1, 1);
  MutationScript script;
  script.name = plain_name_of(root.at("name"));
  const auto steps = root.at("steps").items();
  if (steps.empty() || steps.size() > kMaximumSteps) root.at("steps").fail("must hold 1 to 1000");
  for (const JsonView& step : steps) script.steps.push_back(parse_step(step));
  return script;
}

}  // namespace fairwire
