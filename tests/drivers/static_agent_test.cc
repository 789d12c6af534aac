// The static binary on a machine we know nothing of: a root that holds it and nothing else.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "drivers/agent.h"
#include "drivers/machines/local.h"
#include "drivers/subprocess.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

std::string static_binary() {
  const char* named = ::getenv("FAIRWIRE_STATIC_BINARY");
  return named != nullptr ? named : FAIRWIRE_SOURCE_DIR "/build/static/fairwire";
}

class StaticAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "chroot needs root";
    if (::access(static_binary().c_str(), X_OK) != 0) {
      GTEST_SKIP() << "no static fairwire at " << static_binary() << ": type make static";
    }
    write_file(root_.path() + "/fairwire", read_file(static_binary(), size_t{1} << 28), 0755);
  }

  std::unique_ptr<Machine> machine() {
    LocalSetup setup;
    setup.name = "bare";
    setup.self_binary = "/fairwire";
    setup.token = owner_token();
    setup.before = {"chroot", root_.path()};
    return make_local_machine(setup);
  }

  TempDir root_{"bare", "/dev/shm"};
};

TEST_F(StaticAgent, NeedsNoLibraries) {
  const CommandResult seen = run_command(
      {"readelf", "--dynamic", "--program-headers", static_binary()}, "", std::chrono::seconds(10));
  ASSERT_TRUE(seen.ok()) << seen.err;
  EXPECT_EQ(seen.out.find("NEEDED"), seen.out.npos);
  EXPECT_EQ(seen.out.find("INTERP"), seen.out.npos);
}

TEST_F(StaticAgent, ServesFilesAndPortsInAnEmptyRoot) {
  const auto bare = machine();
  const std::string file = bare->info().work + "/file";
  bare->put(file, std::string(3 << 20, 'x'), 0640);
  EXPECT_EQ(bare->get(file, 5), "xxxxx");
  bare->remove(file);
  EXPECT_EQ(bare->get(file, 5), std::nullopt);
  EXPECT_GT(bare->free_port(), 0);
  EXPECT_FALSE(bare->wait_for_tcp("127.0.0.1", bare->free_port(), std::chrono::milliseconds(50)));
  EXPECT_GT(bare->meter(false).at.count(), 0);
  EXPECT_GE(bare->sync(bare->info().work).count(), 0);
}

// Programs get their input from /dev/null: that is all a root must hold for them.
TEST_F(StaticAgent, RunsProgramsOnceThereIsANullDevice) {
  make_directories(root_.path() + "/dev");
  write_file(root_.path() + "/dev/null", "");
  const auto bare = machine();
  ExecSpec spec;
  spec.name = "self";
  spec.argv = {"/fairwire", "agent",       "--name",  "inner",
               "--work",    "/inner/work", "--store", "/inner/store"};
  const auto report = bare->wait(bare->start(spec), std::chrono::seconds(10));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, ExecEnd::exited) << report->why_not_started;
  EXPECT_EQ(report->exit_code, 0);
  const auto hello = bare->get(bare->info().work + "/logs/self.out", 65536);
  const std::string greeting = "{\"fairwire_agent\":" + std::to_string(kAgentProtocol) + ",";
  EXPECT_EQ(hello.value_or("").find(greeting), 0u) << hello.value_or("");
}

TEST_F(StaticAgent, SaysWhatIsMissingForAProgram) {
  const auto bare = machine();
  ExecSpec spec;
  spec.name = "absent";
  spec.argv = {"/bin/absent"};
  const auto report = bare->wait(bare->start(spec), std::chrono::seconds(10));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, ExecEnd::not_started);
  EXPECT_NE(report->why_not_started, "");
}

}  // namespace
}  // namespace fairwire
