// What every machine promises (drivers/machine.h), as one suite. A kind of machine joins it with
// one row:
//
//   INSTANTIATE_TEST_SUITE_P(Netns, MachineContract, testing::Values(row), machine_row_name);
//
// The rows' agent is FAIRWIRE_TEST_AGENT (tests/drivers/agent_for_tests.cc), whose trees are fakes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drivers/machine.h"

namespace fairwire {

struct MachineRow {
  std::string name;  ///< letters, digits and underscores
  std::function<std::unique_ptr<Machine>()> make;
  std::string why_skipped;  ///< empty: it runs
  /// Called when a test's machines are gone; for what had to be there before them.
  std::function<void()> give_back;
};

std::string machine_row_name(const testing::TestParamInfo<MachineRow>& info);
/// For messages of gtest.
void PrintTo(const MachineRow& row, std::ostream* out);

/// What of a token is still on this host: processes, control groups, folders. For machines that are
/// elsewhere there is nothing to see, and nothing is found.
std::vector<std::string> remains_of(const std::string& token);

class MachineContract : public testing::TestWithParam<MachineRow> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Machine& machine() { return *machine_; }
  std::string work(const std::string& path) const { return machine_->info().work + '/' + path; }
  void drop_machine() { machine_.reset(); }

  /// A program of the name "tool" with no deadline but a generous one against hanging.
  static ExecSpec tool(std::vector<std::string> argv);
  static ExecSpec shell(const std::string& script);
  /// Runs to the end; fails the test when that takes a minute.
  ExecReport run(const ExecSpec& spec);
  ExecReport wait(int handle);
  /// What `script` prints, without the last newline.
  std::string output_of(const std::string& script);
  /// Starts a script that makes the file `ready` when it is in the state to be tested.
  int start_until_ready(const std::string& script);
  /// The token in the environment of the machine's programs.
  std::string token();
  bool process_lives(const std::string& pid);

 private:
  std::unique_ptr<Machine> machine_;
  int outputs_ = 0;
};

}  // namespace fairwire
