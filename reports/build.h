// From the model to a document, a function a chapter. Everything from outside is made printable
// here, on its way into the document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/document.h"
#include "reports/page.h"
#include "reports/pool.h"
#include "reports/table.h"

namespace fairwire {

/// All that a chapter may want to know.
struct PageInput {
  const Pool& pool;
  const Tables& tables;
  const Page& page;
};

Document build_document(const PageInput& input);

/// Anchors that no name can collide with: "c2" a case, "c2-1" a cell, "t0-7" a trial of a run.
std::string case_anchor(size_t case_index);
std::string cell_anchor(size_t case_index, size_t cell_index);
std::string trial_anchor(const CellTrial& trial);
/// "trial 0007", with the number of its run where several are pooled.
std::string trial_name(const PageInput& input, const CellTrial& trial);
Tone tone_of(CellState state);

/// The overview tables of the page description.
void add_overview(const PageInput& input, Document& document);
/// Tools by properties: what was kept. Only where the page description asks for it.
void add_conformance(const PageInput& input, Document& document);
/// One section a case: a row a variant, every single value, the trials behind them.
void add_cases(const PageInput& input, Document& document);
/// The paired ratio of a variant to the first one of the case, with its interval and verdict.
TableCell comparison_cell(const CaseTable& table, size_t index);
/// The same of every session alone; nullopt when there is only one.
std::optional<Folded> sessions_of(const CaseTable& table);
/// What the case cost each machine; where its bytes came from, where there is more to say than its
/// table does.
std::optional<Folded> costs_of(const CaseTable& table);
std::optional<Folded> sources_of(const CaseTable& table);
/// The controls of every wire, and the readings of its calibration.
void add_baseline(const PageInput& input, Document& document);
/// What was planned and has no number, each with its reason.
void add_gaps(const PageInput& input, Document& document);
/// What the judge found in trees that are not what they should be.
void add_differences(const PageInput& input, Document& document);
/// Figures that others published.
void add_published(const PageInput& input, Document& document);
/// How it was measured; conditions, tools and hosts.
void add_method(const PageInput& input, Document& document);
void add_tools(const PageInput& input, Document& document);
void add_hosts(const PageInput& input, Document& document);
/// Notes of the page and of the run, limits.
void add_notes(const PageInput& input, Document& document);
/// The commands that make these numbers again, and where the records are.
void add_repeat(const PageInput& input, Document& document);

}  // namespace fairwire
