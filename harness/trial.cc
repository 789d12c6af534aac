#include "harness/trial.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"

namespace fairwire {
namespace {

Variant find_variant(const CaseSpec& spec, const std::string& name) {
  for (const Variant& variant : spec.variants) {
    if (variant.name == name) return variant;
  }
  return {name, name, {}, {}};  // a control is a tool without settings
}

// What is durable when the clock stops, by the tool's own file and by the case.
std::string durability_of(const TrialContext& context, const PlannedTrial& planned) {
  if (planned.control) return "none";
  const CaseSpec& spec = context.plan.cases[planned.case_index];
  const Variant variant = find_variant(spec, planned.variant);
  const std::string own = context.tools.at(variant.tool).durable_under(variant.settings);
  if (!spec.conditions.durable) return own;
  return own == "none" ? "syncfs" : own + "+syncfs";
}

TrialRecord planned_record(const TrialContext& context, const PlannedTrial& planned) {
  const CaseSpec& spec = context.plan.cases[planned.case_index];
  TrialRecord record;
  record.session = context.session;
  record.trial = planned.trial;
  record.case_name = spec.name;
  record.scenario = planned.control ? "control" : spec.scenario;
  record.variant = planned.variant;
  record.control = planned.control;
  record.round = planned.round;
  record.order = planned.order;
  record.started = utc_label(context.clock.wall());
  record.dataset = planned.control ? "" : spec.dataset;
  record.wire = spec.wire;
  record.conditions = spec.conditions.to_json();
  record.durability = durability_of(context, planned);
  if (spec.rounds == 1 && !planned.control) record.flags.push_back(Flag::single_run);
  return record;
}

}  // namespace

Trial::Trial(const TrialContext& context, const PlannedTrial& planned)
    : context_(context),
      planned_(planned),
      spec_(&context.plan.cases[planned.case_index]),
      variant_(find_variant(*spec_, planned.variant)),
      tool_(&context.tools.at(variant_.tool)),
      record_(planned_record(context, planned)),
      scenario_(find_scenario(record_.scenario)),
      events_(spec_->events) {}

TrialRecord Trial::run() {
  const std::string unsupported =
      why_unsupported(*spec_, *tool_, *context_.testbed.spec().wire(spec_->wire), planned_.control);
  if (!unsupported.empty()) return unsupported_record(context_, planned_, unsupported);
  record_.outcome = Outcome::completed;
  try {
    run_phases();
  } catch (const Interrupted&) {
    rescue("stop", &Trial::stop);
    rescue("clear", &Trial::clear);
    throw;
  } catch (const std::exception& error) {
    record_.outcome = Outcome::harness_error;
    record_.reason =
        record_.phases.empty() ? error.what() : record_.phases.back().name + ": " + error.what();
    record_.verdict = Verdict::unknown;
    rescue("stop", &Trial::stop);
    rescue("collect", &Trial::collect);
  }
  rescue("clear", &Trial::clear);
  return record_;
}

void Trial::run_phases() {
  phase("arrange", &Trial::arrange);
  phase("chill", &Trial::chill);
  phase("prepare", &Trial::prepare);
  if (going_well()) phase("serve", &Trial::serve);
  if (going_well() && scenario_->warm_up != nullptr) phase("warm_up", &Trial::warm_up);
  const bool runs = going_well();
  if (runs) {
    phase("run", &Trial::run_ops);
    phase("settle", &Trial::settle);
  }
  phase("stop", &Trial::stop);
  if (runs) phase("judge", &Trial::judge);
  phase("collect", &Trial::collect);
}

void Trial::phase(const std::string& name, void (Trial::*work)()) {
  const int64_t start = context_.clock.now().count();
  record_.phases.push_back({name, start, start});
  (this->*work)();
  record_.phases.back().end_ns = context_.clock.now().count();
}

// A phase that must not stop what comes behind it: its trouble is logged.
void Trial::rescue(const std::string& name, void (Trial::*work)()) {
  try {
    phase(name, work);
  } catch (const std::exception& error) {
    log_warning("trial " + std::to_string(planned_.trial) + ", " + name + ": " + error.what());
  }
}

void Trial::trouble(Outcome outcome, const std::string& reason) {
  // The first trouble is the cause; what follows from it is in the logs.
  if (record_.outcome != Outcome::completed && record_.outcome != Outcome::harness_error) return;
  record_.outcome = outcome;
  record_.reason = reason;
}

bool Trial::has_flag(Flag flag) const {
  return std::find(record_.flags.begin(), record_.flags.end(), flag) != record_.flags.end();
}

void Trial::add_flag(Flag flag) {
  if (!has_flag(flag)) record_.flags.push_back(flag);
}

std::vector<Seat*> Trial::readers() {
  std::vector<Seat*> seats;
  for (Seat& seat : seats_) {
    if (seat.role == "reader") seats.push_back(&seat);
  }
  return seats;
}

Seat& Trial::writer() {
  return seats_.front();
}

TrialRecord run_trial(const TrialContext& context, const PlannedTrial& planned) {
  return Trial(context, planned).run();
}

TrialRecord unsupported_record(const TrialContext& context, const PlannedTrial& planned,
                               const std::string& reason) {
  TrialRecord record = planned_record(context, planned);
  record.outcome = Outcome::unsupported;
  record.reason = reason;
  return record;
}

std::string why_unsupported(const CaseSpec& spec, const ToolSpec& tool, const WireSpec& wire,
                            bool control) {
  const std::string scenario = control ? "control" : spec.scenario;
  if (!tool.can_do(scenario)) return tool.name + " does not say it can " + scenario;
  if (find_scenario(scenario) == nullptr) {
    return "this version runs no scenario \"" + scenario + "\"";
  }
  if (control) return {};
  for (const CaseEvent& event : spec.events) {
    if (event.what == "delete") return "this version runs no delete events";
    const bool is_signal = event.what == "stop" || event.what == "pause" ||
                           event.what == "resume" || event.what == "kill";
    if (!is_signal && wire.kind != "tun") {
      return event.what + " needs an emulated wire, and \"" + wire.name + "\" is of kind " +
             wire.kind;
    }
  }
  if (spec.scenario == "update" && spec.mutation.empty()) {
    return "an update needs a \"mutation\" in its case";
  }
  if (!spec.relay.empty() || !spec.bucket.empty())
    return "this version has no relay and bucket roles";
  if (tool.done != "exit") return "this version waits for a tool's exit only";
  for (const auto& [name, role] : tool.roles_for(scenario)) {
    const Trigger* trigger = role.trigger(scenario);
    if (trigger != nullptr && !trigger->http.is_null()) {
      return "this version sends no HTTP triggers";
    }
  }
  return {};
}

}  // namespace fairwire
