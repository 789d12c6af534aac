// The agent over its raw lines: what a harness that behaves never sends, and how it begins and
// ends.
#include "drivers/agent.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "drivers/agent/agent_protocol.h"
#include "drivers/agent_client.h"
#include "drivers/machines/local.h"
#include "drivers/meter/control_group.h"
#include "drivers/subprocess.h"
#include "drivers/sweep.h"
#include "tests/contract/machine_contract.h"

namespace fairwire {
namespace {

using std::chrono::seconds;

class RawAgent {
 public:
  explicit RawAgent(std::vector<std::string> more = {}, int stderr_fd = -1) {
    Pipe in = make_pipe();
    Pipe out = make_pipe();
    SpawnOptions options;
    options.argv = {FAIRWIRE_TEST_AGENT, "agent"};
    options.argv.insert(options.argv.end(), more.begin(), more.end());
    options.inherit_environment = true;
    options.stdin_fd = in.read_end.get();
    options.stdout_fd = out.write_end.get();
    options.stderr_fd = stderr_fd;
    child_ = std::make_unique<Subprocess>(options);
    to_agent_ = std::move(in.write_end);
    from_agent_ = std::move(out.read_end);
  }

  ~RawAgent() {
    close_input();
    close_output();
    EXPECT_EQ(exit_code() & ~4, 0);  // it ends by itself: killed, it would leave its groups
  }

  void say(const std::string& line) { to_agent_.write_all(line); }

  // The next line, or nothing at the end of its output.
  std::optional<std::string> hear() {
    std::byte buffer[4096];
    while (true) {
      if (auto line = reader_.next()) return line;
      const size_t count = from_agent_.read_some(buffer);
      if (count == 0) return std::nullopt;
      reader_.feed(std::string_view(reinterpret_cast<const char*>(buffer), count));
    }
  }
  std::string error_kind() {
    const Json answer = Json::parse(hear().value_or("{}"), "answer");
    const Json* error = answer.find("error");
    return error != nullptr ? *error->find("kind")->if_string() : "none";
  }

  void close_input() { to_agent_.close(); }
  void close_output() { from_agent_.close(); }
  Subprocess& child() { return *child_; }
  int exit_code() {
    const auto status = child_->wait(seconds(60));
    return status ? status->exit_code() : -2;
  }

 private:
  std::unique_ptr<Subprocess> child_;
  FileDescriptor to_agent_;
  FileDescriptor from_agent_;
  LineReader reader_;
};

TEST(Agent, SaysHelloAndEndsWithItsInput) {
  RawAgent agent;
  const Json hello = Json::parse(agent.hear().value(), "hello");
  EXPECT_EQ(*hello.find("fairwire_agent")->if_int(), kAgentProtocol);
  const std::string work = *hello.find("work")->if_string();
  EXPECT_TRUE(std::filesystem::exists(work + "/home"));
  agent.close_input();
  EXPECT_EQ(agent.exit_code(), 0);
  EXPECT_FALSE(std::filesystem::exists(work));
}

TEST(Agent, EndsOnSignalsAndWhenNobodyListens) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
    RawAgent agent;
    agent.hear();
    agent.child().signal_group(number);
    EXPECT_EQ(agent.exit_code(), 0) << number;
  }
  RawAgent agent;
  agent.hear();
  agent.close_output();
  EXPECT_EQ(agent.exit_code(), 0);
}

TEST(Agent, AnswersBadLinesAndGoesOn) {
  const std::pair<const char*, const char*> kBad[] = {
      {"{", "format"},
      {"", "format"},
      {R"({"id":1,"call":"reboot"})", "format"},
      {R"({"id":1,"call":"free_port","more":1})", "format"},
      {R"({"id":1,"call":"wait","handle":1,"timeout_ns":0})", "protocol"},
      {R"({"id":1,"call":"stop","handle":1,"grace_ns":0})", "protocol"},
      {R"({"id":1,"call":"signal","handle":1,"signal":0})", "format"},
      {R"({"id":1,"call":"meter"})", "format"},
      {R"({"id":1,"call":"remove","path":"///"})", "format"},
      {R"({"id":1,"call":"get","path":"/x","last":1,"offset":1})", "none"},
      {R"({"id":1,"call":"put","path":"/no/such","mode":420,"offset":0,"bytes":"?","last":true})",
       "format"},
      {R"({"id":1,"call":"put","path":"/no/such","mode":420,"offset":0,"bytes":"","last":true})",
       "system"},
      {R"({"id":1,"call":"make_dataset","spec":{},"seed":1,"path":"/x"})", "format"},
      {R"({"id":1,"call":"wait_for_tcp","host":"127.0.0.1","port":0,"timeout_ns":0})", "format"},
  };
  RawAgent agent;
  agent.hear();
  for (const auto& [line, kind] : kBad) {
    agent.say(std::string(line) + '\n');
    EXPECT_EQ(agent.error_kind(), kind) << line;
  }
  agent.say("{\"id\":5,\"call\":\"free_port\"}\n");
  EXPECT_TRUE(agent.hear()->starts_with(R"({"id":5,"ok":)"));
}

TEST(Agent, ALineThatIsTooLongIsTheEnd) {
  RawAgent agent;
  agent.hear();
  agent.say(std::string(kLineLimit, 'x'));
  EXPECT_EQ(agent.error_kind(), "protocol");
  EXPECT_EQ(agent.hear(), std::nullopt);
  EXPECT_EQ(agent.exit_code(), 0);
}

TEST(Agent, ServesOthersWhileOneWaits) {
  RawAgent agent;
  agent.hear();
  agent.say(R"({"id":1,"call":"start","spec":{"name":"x","argv":["sleep","60"]}})"
            "\n");
  EXPECT_EQ(agent.hear(), R"({"id":1,"ok":1})");
  agent.say(R"({"id":2,"call":"wait","handle":1,"timeout_ns":60000000000})"
            "\n");
  agent.say(R"({"id":3,"call":"wait_for_file","path":"/no/such","timeout_ns":60000000000})"
            "\n");
  agent.say(R"({"id":4,"call":"signal","handle":1,"signal":9})"
            "\n");
  EXPECT_EQ(agent.hear(), R"({"id":4,"ok":null})");
  EXPECT_TRUE(agent.hear()->starts_with(R"({"id":2,"ok":{"end":"signalled")"));
  agent.close_input();  // call 3 is cut off
  EXPECT_EQ(agent.exit_code(), 0);
}

TEST(Agent, KeepsAStoreThatWasThereAndEmptiesItsWork) {
  const TempDir temp("agent-test");
  const std::string store = temp.path() + "/store";
  make_directories(store);
  make_directories(temp.path() + "/work");
  write_file(store + "/data", "kept");
  {
    RawAgent agent({"--work", temp.path() + "/work", "--store", store});
    agent.hear();
    agent.close_input();
    EXPECT_EQ(agent.exit_code(), 0);
  }
  EXPECT_EQ(read_file(store + "/data", 100), "kept");
  EXPECT_TRUE(std::filesystem::is_empty(temp.path() + "/work"));
}

TEST(Agent, TakesNoFolderThatIsInUse) {
  const TempDir temp("agent-test");
  write_file(temp.path() + "/precious", "x");
  RawAgent agent({"--work", temp.path()});
  EXPECT_EQ(agent.hear(), std::nullopt);
  EXPECT_EQ(agent.exit_code(), 4);
  EXPECT_EQ(read_file(temp.path() + "/precious", 100), "x");
}

TEST(AgentMachine, NamesMachineCallAndLastWordsOfADeadAgent) {
  LocalSetup setup;
  setup.name = "paris";
  setup.self_binary = FAIRWIRE_TEST_AGENT;
  setup.token = "t" + owner_token();
  {
    const auto machine = make_local_machine(setup);
    ExecSpec spec;
    spec.name = "assassin";
    spec.argv = {"sh", "-c", "kill -9 $PPID"};
    try {
      machine->wait(machine->start(spec), seconds(60));
      machine->free_port();
      FAIL() << "the agent lives";
    } catch (const ProtocolError& error) {
      EXPECT_NE(std::string(error.what()).find("machine paris: "), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("the agent has gone"), std::string::npos);
    }
    EXPECT_THROW(machine->free_port(), ProtocolError);
  }
  EXPECT_FALSE(std::filesystem::exists(owner_folder(setup.token)));
  // Its owner, this test, lives: no sweep takes the control group of an agent that was killed.
  for (const std::string& group : remains_of(setup.token)) EXPECT_TRUE(remove_group(group, 2000));
}

TEST(AgentMachine, QuotesWhatWasNoHello) {
  LocalSetup setup;
  setup.name = "paris";
  setup.self_binary = "/bin/echo";
  setup.token = owner_token();
  try {
    make_local_machine(setup);
    FAIL() << "echo is no agent";
  } catch (const ProtocolError& error) {
    EXPECT_NE(std::string(error.what()).find("it said: agent --name paris"), std::string::npos);
  }
  setup.self_binary = FAIRWIRE_TEST_AGENT;
  setup.meter = "guess";
  try {
    make_local_machine(setup);
    FAIL() << "there is no such meter";
  } catch (const ProtocolError& error) {
    EXPECT_NE(std::string(error.what()).find("none of: auto"), std::string::npos) << error.what();
  }
  setup.self_binary = "/no/such/fairwire";
  EXPECT_THROW(make_local_machine(setup), SystemError);
}

}  // namespace
}  // namespace fairwire
