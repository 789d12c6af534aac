#include "drivers/tool.h"

#include <algorithm>

#include "base/error.h"
#include "drivers/pattern.h"
#include "drivers/tool_bindings.h"

namespace fairwire {

bool ToolSpec::can_do(std::string_view scenario) const {
  return std::find(can.begin(), can.end(), scenario) != can.end();
}

const std::map<std::string, ToolRole>& ToolSpec::roles_for(std::string_view scenario) const {
  const bool pushes = scenario == "push" || scenario == "push-again";
  return pushes && !push_roles.empty() ? push_roles : roles;
}

const Trigger* ToolRole::trigger(const std::string& scenario) const {
  static const std::map<std::string, std::string> kInstead = {{"pull-again", "pull"},
                                                              {"update", "pull"},
                                                              {"resume", "pull"},
                                                              {"swarm", "pull"},
                                                              {"push-again", "push"}};
  auto found = triggers.find(scenario);
  const auto instead = kInstead.find(scenario);
  if (found == triggers.end() && instead != kInstead.end()) found = triggers.find(instead->second);
  return found == triggers.end() ? nullptr : &found->second;
}

std::string ToolSpec::durable_under(const std::vector<std::string>& chosen) const {
  std::string words = durable;
  for (const std::string& setting : chosen) {
    const auto found = durable_settings.find(setting);
    if (found != durable_settings.end()) words = found->second;
  }
  return words;
}

std::optional<std::string> ToolSpec::find_version(const std::string& output) const {
  const Pattern pattern(version_match);
  regmatch_t groups[2];
  if (!pattern.valid() || ::regexec(&pattern.get(), output.c_str(), 2, groups, 0) != 0) {
    return std::nullopt;
  }
  return output.substr(static_cast<size_t>(groups[1].rm_so),
                       static_cast<size_t>(groups[1].rm_eo - groups[1].rm_so));
}

std::string expand(std::string_view text, const Bindings& bindings, const std::string& file) {
  std::string result;
  scan_bindings(
      text, [&](std::string_view literal) { result += literal; },
      [&](std::string_view name) {
        const auto found = bindings.find(std::string(name));
        if (found == bindings.end()) {
          throw FormatError(file, "",
                            "{" + std::string(name) + "} has no value in \"" + std::string(text) +
                                "\"; docs/tool.md says where each binding may stand");
        }
        result += found->second;
      },
      [&](const char* reason) { throw FormatError(file, "", reason); });
  return result;
}

std::vector<std::string> expand_argv(const std::vector<std::string>& argv, const Bindings& bindings,
                                     const std::vector<std::string>& settings,
                                     const std::string& file) {
  std::vector<std::string> expanded;
  for (const std::string& argument : argv) {
    if (argument == "{settings}") {
      for (const std::string& setting : settings) {
        expanded.push_back(expand(setting, bindings, file));
      }
    } else {
      expanded.push_back(expand(argument, bindings, file));
    }
  }
  return expanded;
}

}  // namespace fairwire
