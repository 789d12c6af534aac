#include "base/log.h"
#include "reports/build.h"
#include "reports/format.h"

namespace fairwire {
namespace {

TextList printable_list(const std::vector<std::string>& texts) {
  TextList list;
  for (const std::string& text : texts) list.items.push_back(printable(text));
  return list;
}

TextList run_notes(const PageInput& input) {
  TextList list;
  for (const NoteRecord* note : input.pool.notes) {
    list.items.push_back((note->level == "warning" ? "Warning, " : "") + printable(note->at) +
                         ": " + printable(note->text));
  }
  return list;
}

// A word of a command that somebody will paste into a shell.
std::string quoted(const std::string& word) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+@:";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void add_list(Document& document, const char* anchor, const char* title, TextList list) {
  if (list.items.empty()) return;
  document.sections.push_back({anchor, title, {std::move(list)}, 2});
}

}  // namespace

void add_notes(const PageInput& input, Document& document) {
  add_list(document, "notes", "Notes", printable_list(input.page.notes));
  add_list(document, "limits", "Limits of these numbers", printable_list(input.page.limits));
  add_list(document, "run-notes", "Notes of the run", run_notes(input));
}

void add_repeat(const PageInput& input, Document& document) {
  Section section{"repeat", "Repeat it, check it", {}, 2};
  section.blocks.emplace_back(Paragraph{
      "In the run folder lie the plan, the testbed and the seed as they were used:", Tone::plain});
  section.blocks.emplace_back(CodeLine{"fairwire run plan.json --testbed testbed.json"});
  section.blocks.emplace_back(Paragraph{
      "The records behind every number are in results.jsonl beside them, one a line; this "
      "page is made from nothing else:",
      Tone::plain});
  std::string command = "fairwire report";
  for (const PooledRun& run : input.pool.runs)
    command += " " + quoted("runs/" + printable(run.name));
  section.blocks.emplace_back(CodeLine{command});
  section.blocks.emplace_back(
      CodeLine{"jq 'select(.type == \"trial\" and .trial == 7)' results.jsonl"});
  TextTable table;
  table.columns = {{"Run", false, 0},
                   {"Session", false, 0},
                   {"Started", false, 0},
                   {"fairwire", false, 0},
                   {"Seed", false, 0},
                   {"Plan, SHA-256", false, 0},
                   {"Testbed, SHA-256", false, 0}};
  for (const HeaderRecord* header : input.pool.headers) {
    table.rows.push_back(
        {"",
         {text_cell(printable(header->run)), text_cell(printable(header->session)),
          text_cell(printable(header->started)), text_cell(printable(header->fairwire_version)),
          text_cell(std::to_string(header->seed)),
          text_cell(printable(header->plan_name) + " " + header->plan_digest),
          text_cell(printable(header->testbed_name) + " " + header->testbed_digest)}});
  }
  if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
  document.sections.push_back(std::move(section));
}

}  // namespace fairwire
