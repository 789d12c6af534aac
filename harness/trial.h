// One trial: one variant, one case, one round. The phases, in order:
//   arrange → chill → prepare → serve → run → settle → stop → judge → collect → clear
// Each leaves its start and end in the record; an exception in one becomes a record with
// harness_error and unknown; clear always runs. Exit 0 of a tool is never success: the verdict
// comes from the judge alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "drivers/tool.h"
#include "harness/plan.h"
#include "harness/scenarios/scenario.h"
#include "harness/schedule.h"
#include "harness/shelf.h"
#include "harness/testbed.h"
#include "reports/record.h"

namespace fairwire {

/// Tools and services by name, as loaded for the run.
using ToolBox = std::map<std::string, ToolSpec>;

/// What a trial needs of the run it belongs to.
struct TrialContext {
  const Plan& plan;
  const ToolBox& tools;
  Testbed& testbed;
  Shelf& shelf;
  Clock& clock;
  std::string session;
  std::string folder;  ///< of this trial on this host: logs and differences go there
};

/// A machine in its role for one trial: the folders there and what texts of tool files mean.
struct Seat {
  Machine* machine = nullptr;
  std::string role;
  std::string base;  ///< everything of the trial on that machine; removed by clear
  std::string tree;  ///< where the data lands, or lies
  std::map<std::string, Bindings> bindings;  ///< by tool or service name
  MeterReading before;
  MeterReading after;
  int64_t prepare_wall_ns = 0;
  int64_t prepare_cpu_us = 0;
  int64_t largest_rss_bytes = 0;
};

class Trial {
 public:
  Trial(const TrialContext& context, const PlannedTrial& planned);

  /// Runs all phases. Throws Interrupted (after clear) and nothing else.
  TrialRecord run();

  // For the scenarios.
  std::vector<Seat*> readers();
  Seat& writer();
  /// Runs the tool's trigger for `scenario` in that seat as a timed op.
  void run_op(const std::string& scenario, Seat& seat);
  /// Holds the seat's tree against the source and adds the verdict.
  void judge_tree(Seat& seat);
  const CaseSpec& spec() const { return *spec_; }
  const ToolSpec& tool() const { return *tool_; }
  const std::string& folder() const { return context_.folder; }
  TrialRecord& record() { return record_; }

 private:
  struct Running {
    Seat* seat = nullptr;
    int handle = 0;
    std::string name;
  };

  void phase(const std::string& name, void (Trial::*work)());
  void rescue(const std::string& name, void (Trial::*work)());
  void run_phases();
  bool going_well() const { return record_.outcome == Outcome::completed; }
  bool has_flag(Flag flag) const;

  void arrange();
  void chill();
  void prepare();
  void serve();
  void run_ops();
  void settle();
  void stop();
  void judge();
  void collect();
  void clear();

  void take_seats();
  void bind(const ToolSpec& tool);
  void bind_seat(Seat& seat, const ToolSpec& tool, int port);
  void prepare_seat(Seat& seat, const ToolSpec& tool, const ToolRole& role);
  void serve_seat(Seat& seat, const ToolSpec& tool, const ToolRole& role);
  bool run_step(Seat& seat, const ToolSpec& tool, const Step& step, const std::string& name);
  ExecSpec exec_spec(Seat& seat, const ToolSpec& tool, const Step& step, const std::string& name);
  bool is_ready(Seat& seat, const ToolSpec& tool, const ReadyProbe& ready);
  void share_files(const ToolSpec& tool, const ToolRole& role, Seat& from);
  void stop_running();
  std::vector<const ToolSpec*> tools_in_order() const;
  std::vector<std::string> setting_arguments(const ToolSpec& tool) const;
  std::string last_words(Seat& seat, const std::string& name);
  void note_end(const ExecReport& report, Seat& seat, const std::string& name);
  void verdict_of_trial();
  void fill_machine_records();
  void read_counters();
  void add_flag(Flag flag);
  void trouble(Outcome outcome, const std::string& reason);

  const TrialContext& context_;
  const PlannedTrial& planned_;
  const CaseSpec* spec_;
  Variant variant_;
  const ToolSpec* tool_;
  TrialRecord record_;
  Stage stage_;
  std::vector<Seat> seats_;
  const Scenario* scenario_;
  const SourceTree* source_ = nullptr;
  std::vector<Running> running_;
  std::vector<Running> finished_;
  std::map<const Seat*, std::string> fingerprints_;  ///< of landed trees, right after the op
  WireReading wire_before_;
};

TrialRecord run_trial(const TrialContext& context, const PlannedTrial& planned);

/// The record of a trial that cannot be run here, for the stated reason.
TrialRecord unsupported_record(const TrialContext& context, const PlannedTrial& planned,
                               const std::string& reason);

/// Why this variant cannot run this case, before anything is started; empty when it can.
std::string why_unsupported(const CaseSpec& spec, const ToolSpec& tool, bool control);

}  // namespace fairwire
