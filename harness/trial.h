// One trial: one variant, one case, one round. The phases, in order:
//   arrange → chill → prepare → serve → (warm_up) → run → settle → stop → judge → collect → clear
// Each leaves its start and end in the record; an exception in one becomes a record with
// harness_error and unknown; clear always runs. Exit 0 of a tool is never success: the verdict
// comes from the judge alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
  /// Runs the tool's trigger for `scenario` in that seat as a timed op; the case's events happen
  /// meanwhile.
  void run_op(const std::string& scenario, Seat& seat);
  /// The same in several seats, started one right after the other and then waited for.
  void run_together(const std::string& scenario, const std::vector<Seat*>& seats);
  /// Brings a starting state; only its failure is recorded.
  void run_untimed(const std::string& scenario, Seat& seat);
  /// Runs until the case's events have ended it (default: SIGKILL at half of the data set's bytes).
  void run_until_ended(const std::string& scenario, Seat& seat);
  /// Runs the trigger of connect once: the op ends when the tool's file says that it is connected,
  /// and its verdict is whether the kernel saw payload on a new connection.
  void run_connect(Seat& seat);
  int64_t answered_after(const Seat& seat, int64_t before);
  /// Lets everything that was started go on by itself for the case's time: an op of each reader.
  void run_idle();
  /// Applies the case's mutation script to this trial's own source tree.
  void mutate_source();
  int64_t new_bytes() const { return new_bytes_; }
  /// Of the op that was recorded last.
  void note_needed_bytes(int64_t bytes);
  /// Holds the seat's tree against the source and adds the verdict.
  void judge_tree(Seat& seat);
  /// Holds what the tool listed in that seat against the source's files and sizes, likewise.
  void judge_listing(Seat& seat);
  const CaseSpec& spec() const { return *spec_; }
  const ToolSpec& tool() const { return *tool_; }
  const std::string& folder() const { return context_.folder; }
  TrialRecord& record() { return record_; }

 private:
  struct Running {
    Seat* seat = nullptr;
    int handle = 0;
    std::string name;
    std::string step = {};  // the same for each time it was run
    bool serves = false;
  };
  // An op under way, and what the events of the case are measured from.
  struct Started {
    Running running;
    std::string scenario;
    Nanoseconds at{};   // of this host
    int64_t bytes = 0;  // on the wire towards the seat before it
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
  void warm_up();
  void run_ops();
  void settle();
  void stop();
  void judge();
  void blame_source();
  void collect();
  void clear();

  std::optional<Started> start_op(const std::string& scenario, Seat& seat);
  ExecReport wait_for(const Started& started);
  OpRecord op_of(const Started& started, const ExecReport& report) const;
  void finish_op(const Started& started, const ExecReport& report);
  void check_running();
  int64_t bytes_towards(const Seat& seat);
  void fire_events(const Started& started);
  bool is_due(const CaseEvent& event, const Started& started);
  void fire(const CaseEvent& event, const Started& started);
  void change_wire(const CaseEvent& event, const Started& started);

  SourceTree own_source();
  void take_seats();
  void bind(const ToolSpec& tool);
  void bind_seat(Seat& seat, const ToolSpec& tool, int port);
  void count_calls();
  void prepare_seat(Seat& seat, const ToolSpec& tool, const ToolRole& role);
  void serve_seat(Seat& seat, const ToolSpec& tool, const ToolRole& role);
  /// How long it took; nothing when it failed.
  std::optional<Nanoseconds> run_step(Seat& seat, const ToolSpec& tool, const Step& step,
                                      const std::string& name);
  bool run_steps(Seat& seat, const ToolSpec& tool, const std::vector<Step>& steps,
                 const std::string& name);
  ExecSpec exec_spec(Seat& seat, const ToolSpec& tool, const Step& step, const std::string& name);
  bool is_ready(Seat& seat, const ToolSpec& tool, const ReadyProbe& ready);
  void share_files(const ToolSpec& tool, const ToolRole& role, Seat& from);
  void stop_running();
  std::vector<const ToolSpec*> tools_in_order() const;
  const std::map<std::string, ToolRole>& roles_of(const ToolSpec& tool) const;
  std::string role_name(const ToolSpec& tool, const Seat& seat) const;
  const ToolRole* role_of(const ToolSpec& tool, const Seat& seat) const;
  Seat& server_of(const ToolSpec& tool);
  std::vector<std::string> setting_arguments(const ToolSpec& tool) const;
  std::string listing_path(const Seat& seat) const;
  std::string last_words(Seat& seat, const std::string& name);
  void note_end(const ExecReport& report, Seat& seat, const std::string& name);
  void verdict_of_trial();
  void verdict_of_op(OpRecord& op) const;
  void fill_machine_records();
  void read_counters();
  void check_start_up();
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
  std::optional<SourceTree> own_source_;  ///< of update: this trial changes it
  int64_t new_bytes_ = 0;
  std::vector<CaseEvent> events_;  ///< that have not happened yet
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
std::string why_unsupported(const CaseSpec& spec, const ToolSpec& tool, const WireSpec& wire,
                            bool control);

}  // namespace fairwire
