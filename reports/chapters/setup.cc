#include <algorithm>
#include <map>
#include <set>

#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"
#include "reports/overhead.h"

namespace fairwire {
namespace {

std::vector<Json> context_items(const PageInput& input, std::string_view key) {
  std::vector<Json> items;
  std::set<std::string> known;
  for (const HeaderRecord* header : input.pool.headers) {
    const Json* value = header->context.find(key);
    if (value == nullptr || value->if_array() == nullptr) continue;
    for (const Json& item : *value->if_array()) {
      if (known.insert(item.dump()).second) items.push_back(item);
    }
  }
  return items;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  const std::string* text = value.if_string();
  return printable(text != nullptr ? *text : value.dump());
}

std::string member_text(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value == nullptr ? "" : text_of(*value);
}

std::string or_none(std::string text) {
  return text.empty() ? std::string(kNone) : text;
}

TableCell name_cell(const Json& tool) {
  TableCell cell = text_cell(or_none(member_text(tool, "name")));
  cell.small = member_text(tool, "title");
  return cell;
}

TableCell version_cell(const Json& tool) {
  TableCell cell = text_cell(or_none(member_text(tool, "version")));
  cell.small = member_text(tool, "error");
  return cell;
}

// The same binary on several machines is one line.
TableCell binaries_cell(const Json& tool) {
  std::vector<std::pair<std::string, std::string>> machines;  // by binary, in order
  const Json* binaries = tool.find("binaries");
  if (binaries != nullptr && binaries->if_array() != nullptr) {
    for (const Json& binary : *binaries->if_array()) {
      const std::string file = member_text(binary, "path") + " " + member_text(binary, "sha256");
      const auto known = std::ranges::find(machines, file, [](const auto& at) { return at.first; });
      if (known == machines.end()) {
        machines.emplace_back(file, member_text(binary, "machine"));
      } else {
        known->second += ", " + member_text(binary, "machine");
      }
    }
  }
  TableCell cell;
  for (const auto& [file, names] : machines) cell.lines.push_back(names + ": " + file);
  if (cell.lines.empty()) cell.lines.emplace_back(kNone);
  return cell;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

// Whatever the agent said of its host, nested names joined by dots.
void flatten(const Json& value, const std::string& name, Facts& facts) {
  if (const auto* members = value.if_object()) {
    for (const auto& [key, inner] : *members) {
      flatten(inner, (name.empty() ? "" : name + ".") + printable(key), facts);
    }
  } else {
    facts.emplace_back(name, or_none(text_of(value)));
  }
}

TextTable fact_table(const Facts& facts) {
  TextTable table;
  table.columns = {{"Fact", false, 0}, {"Value", false, 0}};
  for (const auto& [name, value] : facts) {
    table.rows.push_back({"", {text_cell(name), text_cell(value)}});
  }
  return table;
}

// Machines with the very same facts (namespaces of one host) share one table.
std::vector<std::pair<std::string, Facts>> hosts_of(const PageInput& input) {
  std::vector<std::pair<std::string, Facts>> hosts;
  for (const Json& machine : context_items(input, "machines")) {
    Facts facts;
    if (const Json* host = machine.find("host")) flatten(*host, "", facts);
    const std::string name = or_none(member_text(machine, "name"));
    const auto same = std::ranges::find(hosts, facts, [](const auto& host) { return host.second; });
    if (same != hosts.end()) {
      same->first += ", " + name;
    } else {
      hosts.emplace_back(name, std::move(facts));
    }
  }
  return hosts;
}

// What the testbed's kinds of machine allow us to say about how fresh they were.
std::string freshness(const PageInput& input) {
  std::set<std::string> kinds;
  for (const Json& machine : context_items(input, "machines")) {
    kinds.insert(member_text(machine, "kind"));
  }
  if (kinds == std::set<std::string>{"netns"}) {
    return "Fresh machines: network namespaces of one host, made for each trial and taken down "
           "after it.";
  }
  if (kinds == std::set<std::string>{"cloud"}) {
    return "Fresh machines: made for this session and deleted after it.";
  }
  return "Each trial starts from the state its scenario names, cleared before and after; the "
         "machines themselves were there before.";
}

std::string overhead_text(const PageInput& input) {
  std::vector<double> seconds;
  for (const PooledCase& pooled : input.pool.cases) {
    for (const auto& [variant, trials] : pooled.trials) {
      for (const PooledTrial& trial : trials) {
        if (const auto own = overhead_seconds(*trial.record)) seconds.push_back(*own);
      }
    }
  }
  const Summary summary = summarize(seconds);
  if (summary.n == 0) return "";
  return "fairwire itself took " + format_duration(*summary.median) + " a trial (median of " +
         format_count(static_cast<int64_t>(summary.n)) + ", the longest " +
         format_duration(*summary.maximum) +
         "): making and clearing machines, reading meters, writing records. What it waited for, "
         "tools and the judge, is not in it.";
}

}  // namespace

void add_method(const PageInput& input, Document& document) {
  TextList list;
  list.items = {
      freshness(input),
      "Same wire for every tool of a case, emulated or real as the case says; what it carried "
      "stands in the network baseline. A trial whose wire left its stated bounds is not measured, "
      "not slow.",
      "Every landed tree is compared with its source by the SHA-256 of each file. An exit code of "
      "0, a percentage or a summary line of a tool is not success.",
      "The unit is the round: every tool of a case once, in an order balanced over the rounds. "
      "Tools are never measured one after the other in blocks.",
      "Times are wall time of the timed operation on one machine's monotonic clock. Medians are of "
      "the counted rounds; of an even number they are the mean of the two middle values. Every "
      "single value is shown; none is dropped as an outlier.",
      "Ratios are Hodges-Lehmann medians of the rounds' own ratios, with the exact 95 % interval "
      "of the signed-rank test. \"Faster\" and \"slower\" need an interval clear of the threshold, "
      "\"same\" one within it; everything else is inconclusive.",
      "A round in which a control left max(10 %, 3 × its median deviation) from its own median is "
      "contaminated: shown, counted in the medians, and left out of ratios.",
      "Verdicts need 6 rounds, percentiles 20 values. Ranges that overlap are not ordered without "
      "a verdict. MB is 10⁶ bytes, MiB is 2²⁰ bytes."};
  if (const std::string own = overhead_text(input); !own.empty()) list.items.push_back(own);
  document.sections.push_back({"method", "How it was measured", {std::move(list)}, 2});
}

void add_tools(const PageInput& input, Document& document) {
  const std::vector<Json> tools = context_items(input, "tools");
  if (tools.empty()) return;
  TextTable table;
  table.columns = {{"Tool", false, 0},
                   {"Version", false, 0},
                   {"Notes", false, 0},
                   {"Tool file, SHA-256", false, 0},
                   {"Binaries, SHA-256", false, 0}};
  for (const Json& tool : tools) {
    table.rows.push_back(
        {"",
         {name_cell(tool), version_cell(tool), text_cell(or_none(member_text(tool, "notes"))),
          text_cell(or_none(member_text(tool, "file_digest"))), binaries_cell(tool)}});
  }
  document.sections.push_back({"tools", "Tools", {std::move(table)}, 2});
}

void add_hosts(const PageInput& input, Document& document) {
  Section section{"hosts", "Hosts", {}, 2};
  for (auto& [names, facts] : hosts_of(input)) {
    if (facts.empty()) {
      section.blocks.emplace_back(Paragraph{names + ": no facts recorded.", Tone::muted});
    } else {
      section.blocks.emplace_back(Folded{names, fact_table(facts)});
    }
  }
  if (!section.blocks.empty()) document.sections.push_back(std::move(section));
}

}  // namespace fairwire
