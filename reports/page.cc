#include "reports/page.h"

#include <algorithm>

namespace fairwire {
namespace {

const PooledCase* find_case(const Pool& pool, const std::string& name) {
  const auto known = std::ranges::find(pool.cases, name,
                                       [](const PooledCase& pooled) { return pooled.plan.name; });
  return known == pool.cases.end() ? nullptr : &*known;
}

std::vector<std::string> all_cases(const Pool& pool) {
  std::vector<std::string> names;
  for (const PooledCase& pooled : pool.cases) names.push_back(pooled.plan.name);
  return names;
}

// The variants of some cases, each once, in the plan's order.
std::vector<std::string> variants_of(const Pool& pool, const std::vector<std::string>& cases) {
  std::vector<std::string> variants;
  for (const std::string& name : cases) {
    for (const std::string& variant : find_case(pool, name)->plan.variants) {
      if (std::ranges::find(variants, variant) == variants.end()) variants.push_back(variant);
    }
  }
  return variants;
}

std::vector<std::string> parse_rows(const JsonView& view, const Pool& pool) {
  const auto rows = view.find("rows");
  if (!rows) return all_cases(pool);
  std::vector<std::string> names;
  for (const JsonView& row : rows->items()) {
    const std::string name = row.as_nonempty_string();
    if (name == "*") {
      const auto all = all_cases(pool);
      names.insert(names.end(), all.begin(), all.end());
    } else {
      if (find_case(pool, name) != nullptr) {
        names.push_back(name);
      } else if (!pool.headers.empty()) {  // a run that ended before its header has no cases at all
        row.fail("no run has a case \"" + name + "\"");
      }
    }
  }
  return names;
}

Measure parse_measure(const JsonView& view) {
  const std::string name = view.as_string();
  const MeasureInfo* info = find_measure(name);
  if (info == nullptr) view.fail("\"" + name + "\" is none of: " + measure_names());
  return info->measure;
}

void parse_column(const JsonView& view, const std::vector<std::string>& variants,
                  PageTable& table) {
  view.allow_only({"variant", "measure", "title"});
  const std::string wanted = view.at("variant").as_nonempty_string();
  const Measure measure = parse_measure(view.at("measure"));
  const bool all = wanted == "*";
  if (!all && !variants.empty() && std::ranges::find(variants, wanted) == variants.end()) {
    view.at("variant").fail("no row of this table has a variant \"" + wanted + "\"");
  }
  for (const std::string& variant : variants) {
    if (!all && variant != wanted) continue;
    std::string title = variant;
    if (!table.columns.empty() && table.columns[0].measure != measure) {
      title += ", " + std::string(info_of(measure).title);
    }
    table.columns.push_back({variant, measure, view.string_or("title", title)});
  }
}

PageTable parse_table(const JsonView& view, const Pool& pool) {
  view.allow_only({"title", "caption", "rows", "columns"});
  PageTable table;
  table.title = view.at("title").as_nonempty_string();
  table.caption = view.string_or("caption", "");
  table.rows = parse_rows(view, pool);
  const auto columns = view.at("columns").items();
  if (columns.empty()) view.at("columns").fail("needs at least one column");
  const auto variants = variants_of(pool, table.rows);
  for (const JsonView& column : columns) parse_column(column, variants, table);
  return table;
}

std::vector<std::string> texts_or_none(const JsonView& view, std::string_view key) {
  const auto texts = view.find(key);
  return texts ? texts->as_strings() : std::vector<std::string>{};
}

Page parse_page(const JsonView& view, const Pool& pool) {
  view.allow_only({"schema", "title", "intro", "tables", "baseline", "conformance", "notes",
                   "limits", "claims"});
  view.at("schema").as_int(1, 1);
  Page page;
  page.title = view.at("title").as_nonempty_string();
  page.intro = texts_or_none(view, "intro");
  if (const auto tables = view.find("tables")) {
    for (const JsonView& table : tables->items()) page.tables.push_back(parse_table(table, pool));
  }
  page.baseline = view.bool_or("baseline", true);
  page.conformance = view.bool_or("conformance", false);
  page.notes = texts_or_none(view, "notes");
  page.limits = texts_or_none(view, "limits");
  if (const auto claims = view.find("claims"); claims && !claims->items().empty()) {
    claims->fail("is reserved and must be empty");
  }
  return page;
}

Page default_page(const Pool& pool) {
  Page page;
  page.title = pool.headers.empty() ? "A run without records" : pool.headers[0]->plan_name;
  PageTable table{"Time", "Median of the rounds. Less is better.", all_cases(pool), {}};
  for (const std::string& variant : variants_of(pool, table.rows)) {
    table.columns.push_back({variant, Measure::median, variant});
  }
  if (!table.columns.empty()) page.tables.push_back(std::move(table));
  return page;
}

}  // namespace

Page make_page(const Json& json, const std::string& file, const Pool& pool) {
  return json.is_null() ? default_page(pool) : parse_page(JsonView(json, file), pool);
}

}  // namespace fairwire
