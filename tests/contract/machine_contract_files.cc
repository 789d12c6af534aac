#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/rng.h"
#include "base/temp_dir.h"
#include "tests/contract/machine_contract.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  Rng(1).fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TEST_P(MachineContract, FilesGoThereAndBack) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{256}, size_t{512} << 10, size_t{5} << 20}) {
    const std::string bytes = random_bytes(size);
    machine().put(work("file"), bytes, 0640);
    EXPECT_TRUE(machine().get(work("file"), int64_t{1} << 30) == bytes) << size;
  }
  EXPECT_EQ(output_of("stat -c %a file"), "640");
  machine().put(work("file"), "#!/bin/sh\nexit 9\n", 0755);
  EXPECT_EQ(run(tool({work("file")})).exit_code, 9);
  EXPECT_EQ(output_of("ls"), "file\nhome\nlogs\noutput-1\noutput-2\ntmp");  // no part is left
}

TEST_P(MachineContract, GetsTheLastBytes) {
  machine().put(work("file"), "0123456789", 0644);
  EXPECT_EQ(machine().get(work("file"), 3), "789");
  EXPECT_EQ(machine().get(work("file"), 0), "");
  const std::string large = random_bytes(size_t{3} << 20);
  machine().put(work("large"), large, 0644);
  const size_t tail = (size_t{1} << 20) + 17;
  EXPECT_TRUE(machine().get(work("large"), static_cast<int64_t>(tail)) ==
              large.substr(large.size() - tail));
}

TEST_P(MachineContract, FetchesFilesPieceByPiece) {
  const TempDir here("fairwire-fetch");
  const std::string local = here.path() + "/copy";
  for (const size_t size : {size_t{0}, size_t{1}, size_t{512} << 10, (size_t{3} << 20) + 17}) {
    const std::string bytes = random_bytes(size);
    machine().put(work("file"), bytes, 0644);
    EXPECT_EQ(machine().fetch(work("file"), local, 4 << 20), to_hex(sha256(bytes))) << size;
    EXPECT_TRUE(read_file(local, 8 << 20) == bytes) << size;
  }
  EXPECT_EQ(machine().fetch(work("missing"), local, 100), "");
  EXPECT_THROW(machine().fetch(work("file"), local, 3 << 20), ProtocolError);
  EXPECT_THROW(machine().fetch(work("home"), local, 100), SystemError);
}

TEST_P(MachineContract, MissingFileIsNothingAndFolderIsAnError) {
  EXPECT_EQ(machine().get(work("missing"), 10), std::nullopt);
  EXPECT_EQ(machine().get(work("missing/deeper"), 10), std::nullopt);
  EXPECT_THROW(machine().get(work("home"), 10), SystemError);
  EXPECT_THROW(machine().put(work("missing/file"), "x", 0644), SystemError);
}

TEST_P(MachineContract, MakesAndRemovesTrees) {
  machine().make_directory(work("a/b/c"));
  machine().make_directory(work("a/b/c"));
  machine().put(work("a/b/file"), "x", 0400);
  machine().remove(work("a"));
  EXPECT_FALSE(machine().wait_for_file(work("a"), Nanoseconds::zero()));
  machine().remove(work("a"));
}

TEST_P(MachineContract, WorkIsEmptiedAndReadyAgain) {
  machine().put(work("file"), "x", 0644);
  machine().put(work("home/file"), "x", 0644);
  machine().remove(machine().info().work);
  EXPECT_EQ(output_of("ls -A . home"), ".:\nhome\nlogs\noutput-1\ntmp\n\nhome:");
}

TEST_P(MachineContract, WaitsForFiles) {
  EXPECT_FALSE(machine().wait_for_file(work("late"), milliseconds(50)));
  machine().start(shell("sleep 0.1; : >late"));
  EXPECT_TRUE(machine().wait_for_file(work("late"), seconds(60)));
}

TEST_P(MachineContract, WaitsForTcp) {
  const int port = machine().free_port();
  EXPECT_GT(port, 1024);
  EXPECT_NE(machine().free_port(), port);
  EXPECT_FALSE(machine().wait_for_tcp("127.0.0.1", port, milliseconds(50)));
  const int handle = machine().start(tool({machine().info().self, "listen", std::to_string(port)}));
  EXPECT_TRUE(machine().wait_for_tcp("127.0.0.1", port, seconds(60)));
  machine().stop(handle, seconds(10));
  EXPECT_FALSE(machine().wait_for_tcp("127.0.0.1", port, milliseconds(50)));
}

TEST_P(MachineContract, MakesChangesAndJudgesTrees) {
  const std::string tree = machine().info().store + "/tree";
  const Json spec = Json::object({{"files", 3}});
  constexpr uint64_t kLargeSeed = 0xffff'ffff'ffff'fff5;  // 20 digits
  const TreeSummary made = machine().make_dataset(spec, kLargeSeed, tree);
  EXPECT_EQ(made.files, 3);
  EXPECT_EQ(made.bytes, 60);
  EXPECT_EQ(machine().mutate(Json::object({{"file", "new"}}), 7, tree), 1);
  const TreeSummary seen = machine().manifest(tree, work("manifest"), true);
  EXPECT_EQ(seen.files, 4);
  EXPECT_EQ(seen.digest.size(), 64u);
  EXPECT_EQ(machine().get(work("manifest"), 100), "4");
  EXPECT_TRUE(machine().manifest(tree, work("manifest"), false).digest.empty());
  EXPECT_THROW(machine().make_dataset(spec, 1, tree), SystemError);
  EXPECT_THROW(machine().make_dataset(Json::object({{"odd", 1}}), 1, tree + "2"), FormatError);
  machine().remove(tree);
}

TEST_P(MachineContract, HelperThatDiesCostsOneCall) {
  EXPECT_THROW(machine().make_dataset(Json::object({{"crash", true}}), 1, work("tree")),
               ProtocolError);
  EXPECT_EQ(run(tool({"true"})).exit_code, 0);
}

TEST_P(MachineContract, Syncs) {
  EXPECT_GE(machine().sync(machine().info().work), Nanoseconds::zero());
  EXPECT_THROW(machine().sync("/no-such-folder"), SystemError);
}

TEST_P(MachineContract, ResolvesPrograms) {
  const Json shell = machine().resolve_program("sh");
  ASSERT_NE(shell.find("path"), nullptr);
  EXPECT_EQ(shell.find("path")->if_string()->front(), '/');
  EXPECT_EQ(shell.find("sha256")->if_string()->size(), 64u);
  EXPECT_TRUE(machine().resolve_program("no-such-program-anywhere").is_null());
  EXPECT_TRUE(machine().resolve_program("/no/such/program").is_null());
}

}  // namespace
}  // namespace fairwire
