#include "reference/cli.h"

#include <unistd.h>

#include <charconv>
#include <map>
#include <set>

#include "base/file_descriptor.h"
#include "reference/client.h"
#include "reference/serve.h"

namespace fairsync {
namespace {

constexpr char kHelp[] =
    R"(fairsync moves a tree to another machine, encrypted and verified.

  fairsync serve DIR --key FILE [--port N] [--address A] [--writable] [--timeout SECONDS]
  fairsync pull HOST:PORT DIR --key FILE [--counters FILE] [--connections 4]
                [--durable batch|each|none] [--progress] [--timeout SECONDS]
  fairsync push DIR HOST:PORT --key FILE [--connections 4] [--durable batch|each|none]
                [--progress] [--timeout SECONDS]
  fairsync --version

DIR becomes what the other end has: what is not there is removed. The key file holds 64 hex
digits or at least 16 bytes, the same on both ends. An IPv6 address is written [ADDRESS]:PORT.
"--" ends the options.

Exit codes: 0 good, 1 the transfer failed, 2 usage, 3 files changed at the source or did not
arrive as they were sent.
)";

struct Words {
  std::vector<std::string> places;
  std::map<std::string, std::string> options;  // name → value, "" for a switch
};

using Names = std::set<std::string>;

const Names kSwitches = {"--writable", "--progress"};

Words sort_words(const std::vector<std::string>& words, const Names& allowed) {
  Words sorted;
  bool options_ended = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (options_ended || word.empty() || word.front() != '-') {
      sorted.places.push_back(word);
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (!allowed.contains(name)) throw UsageError(words[0] + " has no option " + name);
    if (sorted.options.contains(name)) throw UsageError(name + " is given twice");
    const bool is_switch = kSwitches.contains(name);
    if (is_switch && equals != std::string::npos) throw UsageError(name + " takes no value");
    if (!is_switch && equals == std::string::npos && i + 1 == words.size()) {
      throw UsageError(name + " needs a value");
    }
    sorted.options[name] = is_switch                     ? ""
                           : equals != std::string::npos ? word.substr(equals + 1)
                                                         : words[++i];
  }
  return sorted;
}

uint64_t number_of(const Words& words, const std::string& name, uint64_t low, uint64_t high,
                   uint64_t otherwise) {
  const auto found = words.options.find(name);
  if (found == words.options.end()) return otherwise;
  const std::string& text = found->second;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    throw UsageError(name + " takes a number from " + std::to_string(low) + " to " +
                     std::to_string(high));
  }
  return value;
}

std::string text_of(const Words& words, const std::string& name) {
  const auto found = words.options.find(name);
  return found == words.options.end() ? std::string() : found->second;
}

std::string key_of(const Words& words) {
  const std::string key = text_of(words, "--key");
  if (key.empty()) throw UsageError("--key FILE is needed");
  return key;
}

std::chrono::milliseconds timeout_of(const Words& words) {
  return std::chrono::seconds(number_of(words, "--timeout", 3, 86'400, 30));
}

Durable durable_of(const Words& words) {
  const std::string word = text_of(words, "--durable");
  if (word.empty() || word == "batch") return Durable::batch;
  if (word == "each") return Durable::each;
  if (word == "none") return Durable::none;
  throw UsageError("--durable is batch, each or none");
}

ServeOptions parse_serve(const std::vector<std::string>& words) {
  const Words sorted =
      sort_words(words, {"--key", "--port", "--address", "--writable", "--timeout"});
  if (sorted.places.size() != 1) throw UsageError("serve takes one folder");
  ServeOptions options;
  options.folder = sorted.places[0];
  options.key_file = key_of(sorted);
  options.address = text_of(sorted, "--address");
  options.port = static_cast<uint16_t>(number_of(sorted, "--port", 0, 65'535, 0));
  options.writable = sorted.options.contains("--writable");
  options.timeout = timeout_of(sorted);
  return options;
}

TransferOptions parse_transfer(const std::vector<std::string>& words, Direction direction) {
  const bool is_pull = direction == Direction::pull;
  Names allowed = {"--key", "--connections", "--durable", "--progress", "--timeout"};
  if (is_pull) allowed.insert("--counters");
  const Words sorted = sort_words(words, allowed);
  if (sorted.places.size() != 2) {
    throw UsageError(is_pull ? "pull takes HOST:PORT and a folder"
                             : "push takes a folder and HOST:PORT");
  }
  TransferOptions options;
  options.direction = direction;
  options.peer_text = sorted.places[is_pull ? 0 : 1];
  options.folder = sorted.places[is_pull ? 1 : 0];
  const std::optional<Address> peer = parse_address(options.peer_text);
  if (!peer) throw UsageError(options.peer_text + " is not HOST:PORT");
  options.peer = *peer;
  options.key_file = key_of(sorted);
  options.counters_file = text_of(sorted, "--counters");
  options.connections =
      static_cast<uint8_t>(number_of(sorted, "--connections", 1, kMaxConnections, 4));
  options.durable = durable_of(sorted);
  options.progress = sorted.options.contains("--progress");
  options.timeout = timeout_of(sorted);
  return options;
}

struct Run {
  int operator()(const ServeOptions& options) const { return serve(options); }
  int operator()(const TransferOptions& options) const { return transfer(options); }
  int operator()(const ShowText& show) const {
    fairwire::FileDescriptor out(check_system(::dup(STDOUT_FILENO), "write to standard output"));
    out.write_all(show.text);
    return 0;
  }
};

}  // namespace

Command parse_command(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("no command; fairsync --help shows them");
  const std::string& verb = words[0];
  if (verb == "--help" || verb == "-h" || verb == "help") return ShowText{kHelp};
  if (verb == "--version") {
    return ShowText{"fairsync " FAIRSYNC_VERSION " (protocol " + std::to_string(kProtocolVersion) +
                    ")\n"};
  }
  if (verb == "serve") return parse_serve(words);
  if (verb == "pull") return parse_transfer(words, Direction::pull);
  if (verb == "push") return parse_transfer(words, Direction::push);
  throw UsageError("no command " + verb + "; fairsync --help shows them");
}

int run_command_line(int argc, char** argv) {
  return std::visit(Run(), parse_command(std::vector<std::string>(argv + 1, argv + argc)));
}

}  // namespace fairsync
