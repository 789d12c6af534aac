#include "tests/contract/machine_contract.h"

#include <filesystem>

#include "drivers/meter/control_group.h"
#include "drivers/meter/process_table.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

constexpr std::chrono::seconds kHanging{60};

void find_groups(const std::string& kind, const std::string& token,
                 std::vector<std::string>& found) {
  const auto mount = hierarchy_mount(kind);
  if (!mount) return;
  std::error_code ignored;  // other tests' groups come and go while we look
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(*mount, options, ignored), end; at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().starts_with("fairwire-" + token))
      found.push_back(at->path());
  }
}

}  // namespace

std::string machine_row_name(const testing::TestParamInfo<MachineRow>& info) {
  return info.param.name;
}

void PrintTo(const MachineRow& row, std::ostream* out) {
  *out << row.name;
}

std::vector<std::string> remains_of(const std::string& token) {
  std::vector<std::string> found;
  for (const pid_t pid : all_processes()) {
    const auto stat = process_stat(pid);
    if (stat && stat->alive() && start_variable(pid, "FAIRWIRE_TOKEN") == token) {
      found.push_back("process " + std::to_string(pid) + " " + process_name(pid));
    }
  }
  find_groups("cgroup2", token, found);
  find_groups("cpuacct", token, found);
  if (std::filesystem::exists(owner_folder(token))) found.push_back(owner_folder(token));
  return found;
}

void MachineContract::SetUp() {
  if (!GetParam().why_skipped.empty()) GTEST_SKIP() << GetParam().why_skipped;
  machine_ = GetParam().make();
}

void MachineContract::TearDown() {
  drop_machine();
  if (GetParam().give_back) GetParam().give_back();
}

ExecSpec MachineContract::tool(std::vector<std::string> argv) {
  ExecSpec spec;
  spec.name = "tool";
  spec.argv = std::move(argv);
  return spec;
}

ExecSpec MachineContract::shell(const std::string& script) {
  return tool({"sh", "-c", script});
}

ExecReport MachineContract::wait(int handle) {
  const auto report = machine_->wait(handle, kHanging);
  if (!report) {
    ADD_FAILURE() << "it still runs after a minute";
    return machine_->stop(handle, Nanoseconds::zero());
  }
  return *report;
}

ExecReport MachineContract::run(const ExecSpec& spec) {
  return wait(machine_->start(spec));
}

std::string MachineContract::output_of(const std::string& script) {
  ExecSpec spec = shell(script);
  spec.stdout_path = work("output-" + std::to_string(++outputs_));
  EXPECT_EQ(run(spec).exit_code, 0) << script;
  std::string text = machine_->get(spec.stdout_path, 1 << 20).value_or("");
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

int MachineContract::start_until_ready(const std::string& script) {
  const std::string ready = work("ready-" + std::to_string(++outputs_));
  ExecSpec spec = shell(script);
  spec.environment = {{"READY", ready}};
  const int handle = machine_->start(spec);
  EXPECT_TRUE(machine_->wait_for_file(ready, kHanging)) << script;
  return handle;
}

std::string MachineContract::token() {
  return output_of("echo \"$FAIRWIRE_TOKEN\"");
}

bool MachineContract::process_lives(const std::string& pid) {
  return run(shell("kill -0 " + pid)).exit_code == 0;
}

}  // namespace fairwire
