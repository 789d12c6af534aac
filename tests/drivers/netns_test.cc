#include "drivers/machines/netns.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <linux/capability.h>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"
#include "drivers/sweep.h"
#include "tests/contract/run_on.h"

namespace fairwire {
namespace {

NetnsOptions options_for(const std::string& name) {
  NetnsOptions options;
  options.name = name;
  options.self_binary = FAIRWIRE_TEST_AGENT;
  options.token = owner_token();
  options.work_bytes = int64_t{256} << 20;
  return options;
}

std::string sh(Machine& machine, const std::string& script) {
  const RunOn run = run_on(machine, {"sh", "-c", script});
  return run.ok() ? run.out : "failed: " + run.out + run.err;
}

class Netns : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "machines of namespaces need root";
  }
};

TEST_F(Netns, IsAMachineOfItsOwn) {
  const auto machine = make_netns_machine(options_for("alice"));
  EXPECT_EQ(machine->info().kind, "netns");
  EXPECT_EQ(machine->info().work, "/dev/shm/fairwire/work");
  EXPECT_EQ(machine->info().store, "/dev/shm/fairwire/store");
  EXPECT_EQ(machine->info().self, "/run/fairwire/fairwire");
  EXPECT_EQ(sh(*machine, "uname -n"), "alice\n");
  EXPECT_EQ(sh(*machine, "getent hosts alice"), "127.0.1.1       alice\n");
  const int processes = std::stoi(sh(*machine, "ls -d /proc/[0-9]* | wc -l"));
  EXPECT_GE(processes, 2);
  EXPECT_LT(processes, 10);
  EXPECT_EQ(sh(*machine, "cat /proc/1/comm"), "fairwire\n");
  EXPECT_EQ(sh(*machine, "ls -A /root /tmp ~"),
            "/dev/shm/fairwire/work/home:\n\n/root:\n\n/tmp:\n");
  EXPECT_EQ(sh(*machine, "ls /sys/class/net"), "lo\n");
  EXPECT_EQ(sh(*machine, "cat /sys/class/net/lo/flags"), "0x9\n");  // up, loopback
  EXPECT_EQ(sh(*machine, "ls /run"), "fairwire\nsshd\n");
}

TEST_F(Netns, WritesStayInside) {
  const std::string marker = "/etc/fairwire-netns-test";
  const auto alice = make_netns_machine(options_for("alice"));
  const auto bob = make_netns_machine(options_for("bob"));
  EXPECT_EQ(sh(*alice, "echo mine > " + marker + " && cat " + marker), "mine\n");
  EXPECT_EQ(sh(*bob, "ls " + marker + " 2>/dev/null || echo none"), "none\n");
  EXPECT_NE(::access(marker.c_str(), F_OK), 0);
  EXPECT_EQ(sh(*alice, "echo > /run/fairwire/fairwire || echo refused"), "refused\n");
}

TEST_F(Netns, DevicesWork) {
  const auto machine = make_netns_machine(options_for("alice"));
  EXPECT_EQ(sh(*machine, "echo x > /dev/null && head -c 3 /dev/zero | wc -c"), "3\n");
  EXPECT_EQ(sh(*machine, "head -c 8 /dev/urandom | wc -c"), "8\n");
  EXPECT_EQ(sh(*machine, "test -c /dev/pts/ptmx && readlink /dev/ptmx /dev/fd"),
            "pts/ptmx\n/proc/self/fd\n");
  EXPECT_EQ(sh(*machine, "script -qec 'tty' /dev/null </dev/null | tr -d '\\r'"), "/dev/pts/0\n");
}

TEST_F(Netns, SizesAreCapped) {
  NetnsOptions options = options_for("alice");
  options.root_bytes = 4 << 20;
  options.work_bytes = 8 << 20;
  const auto machine = make_netns_machine(options);
  // The answer is a file in work: there must be room for it.
  const std::string fill =
      "head -c 20M /dev/zero > FILE/big 2>/dev/null; n=$(wc -c < FILE/big); rm FILE/big; echo $n";
  const auto filled = [&](const std::string& folder) {
    std::string script = fill;
    for (size_t at; (at = script.find("FILE")) != script.npos;) script.replace(at, 4, folder);
    return std::stol(sh(*machine, script));
  };
  for (const char* folder : {"/etc", "/tmp", "/root", "/run"}) {
    EXPECT_LE(filled(folder), 4 << 20) << folder;
    EXPECT_GE(filled(folder), 3 << 20) << folder;
  }
  EXPECT_LE(filled("/dev/shm/fairwire/work"), 8 << 20);
  EXPECT_GE(filled("/dev/shm/fairwire/work"), 7 << 20);
}

TEST_F(Netns, StoreIsTheHostsFolder) {
  const TempDir store("store");
  write_file(store.path() + "/seed", "42");
  NetnsOptions options = options_for("alice");
  options.store = store.path();
  {
    const auto machine = make_netns_machine(options);
    EXPECT_EQ(sh(*machine, "cat /dev/shm/fairwire/store/seed"), "42");
    EXPECT_EQ(sh(*machine, "touch /dev/shm/fairwire/store/x 2>/dev/null || echo refused"),
              "refused\n");
  }
  options.store_writable = true;
  {
    const auto machine = make_netns_machine(options);
    EXPECT_EQ(sh(*machine, "echo new > /dev/shm/fairwire/store/x"), "");
  }
  EXPECT_EQ(read_file(store.path() + "/x", 100), "new\n");
  EXPECT_EQ(read_file(store.path() + "/seed", 100), "42");
}

TEST_F(Netns, NameSpacePidIsInItsNetwork) {
  const auto machine = make_netns_machine(options_for("alice"));
  const std::string link = "/ns/net";
  const auto seen = std::filesystem::read_symlink(
      "/proc/" + std::to_string(machine->info().namespace_pid) + link);
  EXPECT_EQ(sh(*machine, "readlink /proc/self/ns/net"), seen.string() + '\n');
  EXPECT_NE(std::filesystem::read_symlink("/proc/self/ns/net"), seen);
}

// Only what lies on the root file system shows, but the system's own folders always do.
TEST_F(Netns, SystemFoldersOnOtherFileSystemsShow) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("x", "/opt", "tmpfs", 0, nullptr) == 0 &&
                         ::mount("x", "/srv", "tmpfs", 0, nullptr) == 0;
    if (!mounted) ::_exit(2);
    write_file("/opt/tool", "installed");
    write_file("/srv/data", "private");
    const auto machine = make_netns_machine(options_for("alice"));
    const std::string seen =
        sh(*machine, "cat /opt/tool; echo changed > /opt/tool; ls /srv/data 2>/dev/null || echo -");
    ::_exit(seen == "installed-\n" && read_file("/opt/tool", 100) == "installed" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Netns, WithoutPrivilegesItFailsInOneLine) {
  Pipe said = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0);
    try {
      make_netns_machine(options_for("alice"));
    } catch (const SystemError& error) {
      said.write_end.write_all(error.what());
    }
    ::_exit(0);
  }
  said.write_end.close();
  ::waitpid(child, nullptr, 0);
  std::byte text[1000];
  const std::string line(reinterpret_cast<const char*>(text), said.read_end.read_some(text));
  EXPECT_EQ(line,
            "machine alice out of namespaces (needs root and overlayfs: run with sudo, or give it "
            "the kind \"local\"): make a pid namespace: Operation not permitted");
}

TEST_F(Netns, MissingStoreIsNamed) {
  NetnsOptions options = options_for("alice");
  options.store = "/nowhere/at/all";
  EXPECT_THROW(make_netns_machine(options), SystemError);
}

TEST_F(Netns, BuildTime) {
  std::vector<double> build, drop;
  for (int i = 0; i < 20; ++i) {
    const Nanoseconds start = monotonic_now();
    auto machine = make_netns_machine(options_for("alice"));
    const Nanoseconds built = monotonic_now();
    machine.reset();
    build.push_back(std::chrono::duration<double, std::milli>(built - start).count());
    drop.push_back(std::chrono::duration<double, std::milli>(monotonic_now() - built).count());
  }
  std::sort(build.begin(), build.end());
  std::sort(drop.begin(), drop.end());
  std::cout << "netns machine, n=20: built in " << build[10] << " ms (median; " << build[0]
            << " to " << build[19] << "), dropped in " << drop[10] << " ms\n";
  EXPECT_LT(build[10], 2000);
}

}  // namespace
}  // namespace fairwire
