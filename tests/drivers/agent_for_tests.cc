// `agent_for_tests agent …`, `netns-init JSON` and `forward JSON`: the real thing over a tree
// service that needs no data sets, so that drivers/ is tested without the rooms above it. Its
// trees are folders of flat files; special paths make it slow or make it crash.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "drivers/agent.h"
#include "drivers/machines/netns_init.h"
#include "drivers/wires/forwarder.h"

namespace fairwire {
namespace {

class FakeTrees final : public TreeService {
 public:
  // {"files": N}: as many files named 0, 1, … holding the seed. {"slow": true} goes on for ever,
  // making files; {"crash": true} aborts.
  TreeSummary make(const Json& spec, uint64_t seed, const std::string& path) override {
    const JsonView view(spec, "spec");
    view.allow_only({"files", "slow", "crash"});
    if (view.bool_or("crash", false)) std::_Exit(3);
    if (::mkdir(path.c_str(), 0755) != 0) throw_system_error("make directory", path);
    const bool slow = view.bool_or("slow", false);
    const int64_t files = view.int_or("files", 0, 0, 1000);
    for (int64_t i = 0; slow || i < files; ++i) {
      write_file(path + '/' + std::to_string(i), std::to_string(seed));
      if (slow) SystemClock().sleep(std::chrono::milliseconds(1));
    }
    return sum_up(path);
  }

  int64_t mutate(const Json& script, uint64_t seed, const std::string& path) override {
    const std::string text = std::to_string(seed);
    write_file(path + '/' + JsonView(script, "script").at("file").as_string(), text);
    return static_cast<int64_t>(text.size());
  }

  TreeSummary manifest(const std::string& path, const std::string& out, bool hash) override {
    TreeSummary summary = sum_up(path);
    write_file(out, std::to_string(summary.files));
    if (!hash) summary.digest.clear();
    return summary;
  }

 private:
  static TreeSummary sum_up(const std::string& path) {
    TreeSummary summary;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      ++summary.entries;
      ++summary.files;
      summary.bytes += static_cast<int64_t>(entry.file_size());
    }
    summary.digest = to_hex(sha256(std::to_string(summary.bytes)));
    return summary;
  }
};

// `listen PORT`: on loopback, until it is ended.
int listen_for_ever(const char* port) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
  if (::listen(socket.get(), 5) != 0) return 1;
  while (true) ::pause();
}

int run(int argc, char** argv) {
  const std::string verb = argc < 2 ? "" : argv[1];
  if (verb == "listen" && argc == 3) return listen_for_ever(argv[2]);
  if (verb == "forward" && argc == 3) {
    return run_forwarder(Json::parse(argv[2], "forward"), STDIN_FILENO, STDOUT_FILENO);
  }
  if (verb != "agent" && !(verb == "netns-init" && argc == 3)) {
    std::cerr << "usage: agent_for_tests agent [--name NAME] … | netns-init JSON | listen PORT\n";
    return 2;
  }
  try {
    if (verb == "netns-init") {
      run_netns_init(netns_init_options_from(Json::parse(argv[2], "netns-init")));
    }
    FakeTrees trees;
    return serve_agent(parse_agent_options({argv + 2, argv + argc}), trees, STDIN_FILENO,
                       STDOUT_FILENO);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace
}  // namespace fairwire

int main(int argc, char** argv) {
  return fairwire::run(argc, argv);
}
