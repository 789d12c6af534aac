// The conformance grid: what each variant kept of each property (docs/manifest.md, "What is
// compared"), summed over all cases. Opt-in by the page description.
#include <algorithm>

#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"

namespace fairwire {
namespace {

struct Kept {
  int64_t compared = 0;
  int64_t different = 0;
  bool claimed = false;
};

// What all trials of a variant say together.
struct VariantKept {
  std::string variant;
  std::vector<std::pair<std::string, Kept>> properties;  // in the order of the records
  int64_t trees = 0;
  int64_t same_content = 0;
  int64_t same_file_set = 0;
  int64_t not_judged = 0;

  Kept& of(const std::string& property) {
    const auto known =
        std::ranges::find(properties, property, [](const auto& p) { return p.first; });
    if (known != properties.end()) return known->second;
    return properties.emplace_back(property, Kept()).second;
  }
};

// Whoever keeps nanoseconds keeps seconds, and a type is never a matter of claims.
bool is_claimed(const VerdictRecord& verdict, const std::string& property) {
  const auto claims = [&](const char* word) {
    return std::ranges::find(verdict.kept, word) != verdict.kept.end();
  };
  if (property == "type") return true;
  return claims(property.c_str()) || (property == "mtime-seconds" && claims("mtime"));
}

void add_verdict(const VerdictRecord& verdict, VariantKept& row) {
  ++row.trees;
  row.same_content += verdict.content == Verdict::identical;
  row.same_file_set += verdict.file_set == Verdict::identical;
  for (const PropertyRecord& property : verdict.properties) {
    Kept& kept = row.of(property.name);
    kept.compared += property.compared;
    kept.different += property.different;
    kept.claimed |= is_claimed(verdict, property.name);
  }
}

std::vector<VariantKept> grid_of(const Tables& tables) {
  std::vector<VariantKept> rows;
  for (const CaseTable& planned : tables.cases) {
    for (const Cell& cell : planned.cells) {
      auto row = std::ranges::find(rows, cell.variant, &VariantKept::variant);
      if (row == rows.end()) {
        rows.push_back({cell.variant, {}});
        row = rows.end() - 1;
      }
      for (const CellTrial& trial : cell.trials) {
        row->not_judged += trial.record->verdicts.empty();
        for (const VerdictRecord& verdict : trial.record->verdicts) add_verdict(verdict, *row);
      }
    }
  }
  return rows;
}

// Every property that any tree of the page has.
std::vector<std::string> properties_of(const std::vector<VariantKept>& rows) {
  std::vector<std::string> names;
  for (const VariantKept& row : rows) {
    for (const auto& [name, kept] : row.properties) {
      if (kept.compared > 0 && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// In brackets: the tool does not claim it.
std::string claimed_or_not(const Kept& kept, const std::string& word) {
  return kept.claimed ? word : "(" + word + ")";
}

TableCell kept_cell(const Kept& kept) {
  TableCell cell;
  if (kept.compared == 0) {
    cell.badge = claimed_or_not(kept, "failed");
    cell.tone = kept.claimed ? Tone::bad : Tone::muted;
    cell.small = "none";
  } else if (kept.different == 0) {
    cell.badge = claimed_or_not(kept, "kept");
    cell.tone = kept.claimed ? Tone::good : Tone::plain;
    cell.small = format_count(kept.compared);
  } else {
    cell.badge = kept.claimed ? "NOT KEPT" : "(not kept)";
    cell.tone = kept.claimed ? Tone::bad : Tone::muted;
    cell.small = format_count(kept.different) + " of " + format_count(kept.compared);
  }
  return cell;
}

// Nobody has to claim these two: they are required of every tool.
TableCell trees_cell(int64_t same, const VariantKept& row) {
  TableCell cell;
  const int64_t trees = row.trees + row.not_judged;
  cell.badge = trees == 0 ? "not run" : same == trees ? "identical" : "DIFFERENT";
  cell.tone = trees == 0 ? Tone::muted : same == trees ? Tone::good : Tone::bad;
  cell.small = format_count(same) + " of " + format_count(trees);
  return cell;
}

}  // namespace

void add_conformance(const PageInput& input, Document& document) {
  if (!input.page.conformance) return;
  std::vector<VariantKept> rows = grid_of(input.tables);
  const std::vector<std::string> properties = properties_of(rows);
  TextTable table;
  table.caption =
      "What landed, property by property, over all cases of this page. Content and file set are "
      "required of every tool: how many trees are identical. A property is required of a tool that "
      "claims it; one that is not claimed is in brackets, and only information. kept: on how many "
      "entries; not kept: on how many of them not; failed: no entry that has the property landed "
      "as "
      "what it was.";
  table.columns = {{"Property", false, 0}};
  TextTable::Row content{"", {text_cell("content")}};
  TextTable::Row file_set{"", {text_cell("file set")}};
  for (const VariantKept& row : rows) {
    table.columns.push_back({printable(row.variant), false, 0});
    content.cells.push_back(trees_cell(row.same_content, row));
    file_set.cells.push_back(trees_cell(row.same_file_set, row));
  }
  table.rows = {std::move(content), std::move(file_set)};
  for (const std::string& name : properties) {
    TextTable::Row line{"", {text_cell(printable(name))}};
    for (VariantKept& row : rows) line.cells.push_back(kept_cell(row.of(name)));
    table.rows.push_back(std::move(line));
  }
  document.sections.push_back({"conformance", "Conformance", {std::move(table)}, 2});
}

}  // namespace fairwire
