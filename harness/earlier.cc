#include "harness/earlier.h"

#include <algorithm>

#include "base/error.h"

namespace fairwire {
namespace {

constexpr const char* kRemedy = "; begin a new run, and let `fairwire report` pool the two";

void check_header(const HeaderRecord& header, const ResultsFile& results, const Plan& plan,
                  const TestbedSpec& testbed) {
  if (header.plan_digest != plan.digest) {
    throw FormatError(plan.file, "",
                      "is not the plan that " + results.path + " began with" + kRemedy);
  }
  if (header.testbed_digest != testbed.digest) {
    throw FormatError(testbed.file, "",
                      "is not the testbed that " + results.path + " began with" + kRemedy);
  }
}

void check_place(const TrialRecord& record, const ResultsFile& results, const Plan& plan,
                 const std::vector<PlannedTrial>& schedule) {
  const auto planned = std::ranges::find(schedule, record.trial, &PlannedTrial::trial);
  const bool fits = planned != schedule.end() && planned->variant == record.variant &&
                    planned->round == record.round && planned->control == record.control &&
                    plan.cases[planned->case_index].name == record.case_name;
  if (!fits) {
    throw FormatError(results.path, "trial " + std::to_string(record.trial),
                      "is not what this version schedules there" + std::string(kRemedy));
  }
}

const Json* tool_of(const Json& context, const Json& name) {
  const Json* tools = context.find("tools");
  if (tools == nullptr || tools->if_array() == nullptr) return nullptr;
  for (const Json& tool : *tools->if_array()) {
    if (const Json* other = tool.find("name"); other != nullptr && other->dump() == name.dump()) {
      return &tool;
    }
  }
  return nullptr;
}

std::string text_of(const Json* value) {
  if (value == nullptr) return "null";
  const std::string* text = value->if_string();
  return text != nullptr ? *text : value->dump();
}

}  // namespace

Earlier read_earlier(const ResultsFile& results, const Plan& plan, const TestbedSpec& testbed,
                     const std::vector<PlannedTrial>& schedule) {
  Earlier earlier;
  for (const Record& record : results.records) {
    if (const auto* header = std::get_if<HeaderRecord>(&record)) {
      check_header(*header, results, plan, testbed);
      ++earlier.sessions;
      earlier.complete = false;
      earlier.fairwire_version = header->fairwire_version;
      earlier.context = header->context;
    } else if (const auto* trial = std::get_if<TrialRecord>(&record)) {
      check_place(*trial, results, plan, schedule);
      earlier.trials.insert(trial->trial);
    } else if (const auto* end = std::get_if<EndRecord>(&record)) {
      earlier.complete = end->status == "complete";
    }
  }
  return earlier;
}

void check_same(const Earlier& earlier, const std::string& fairwire_version, const Json& context,
                const std::string& folder) {
  if (earlier.sessions == 0) return;
  if (earlier.fairwire_version != fairwire_version) {
    throw FormatError(folder, "",
                      "was begun by fairwire " + earlier.fairwire_version + ", this is " +
                          fairwire_version + kRemedy);
  }
  const Json* tools = context.find("tools");
  for (const Json& now : *tools->if_array()) {
    const Json* before = tool_of(earlier.context, *now.find("name"));
    for (const char* key : {"version", "file_digest", "binaries"}) {
      const std::string was = before == nullptr ? "not there" : text_of(before->find(key));
      const std::string is = text_of(now.find(key));
      if (was == is) continue;
      const bool is_short = was.size() < 80 && is.size() < 80;
      throw FormatError(folder, "",
                        "the " + std::string(key) + " of " + text_of(now.find("name")) +
                            " is another than before" +
                            (is_short ? " (" + was + ", now " + is + ")" : "") + kRemedy);
    }
  }
}

}  // namespace fairwire
