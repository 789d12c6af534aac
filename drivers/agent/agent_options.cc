#include "base/error.h"
#include "drivers/agent.h"
#include "drivers/agent/agent_messages.h"

namespace fairwire {
namespace {

void check_words(const AgentOptions& options) {
  const auto refuse = [](const char* option, const std::string& value, const char* reason) {
    throw FormatError("agent", option, "\"" + value + "\" " + reason);
  };
  if (!is_plain_name(options.name)) refuse("--name", options.name, "is no plain name");
  const bool named = !options.token.empty();
  if (named && !is_plain_name(options.token)) refuse("--token", options.token, "is no plain name");
  for (const std::string& folder : {options.work, options.store}) {
    if (!folder.empty() && folder[0] != '/') refuse("--work, --store", folder, "is not absolute");
  }
  for (const char* method : {"auto", "cgroup2", "cpuacct", "wait4"}) {
    if (options.meter == method) return;
  }
  refuse("--meter", options.meter, "is none of: auto, cgroup2, cpuacct, wait4");
}

}  // namespace

AgentOptions parse_agent_options(const std::vector<std::string>& words) {
  AgentOptions options;
  for (size_t i = 0; i < words.size(); i += 2) {
    std::string* target = nullptr;
    if (words[i] == "--name") target = &options.name;
    if (words[i] == "--token") target = &options.token;
    if (words[i] == "--work") target = &options.work;
    if (words[i] == "--store") target = &options.store;
    if (words[i] == "--meter") target = &options.meter;
    if (target == nullptr) throw FormatError("agent", words[i], "is no option of the agent");
    if (i + 1 == words.size()) throw FormatError("agent", words[i], "needs a value");
    *target = words[i + 1];
  }
  check_words(options);
  return options;
}

}  // namespace fairwire
