#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "harness/carry_out.h"
#include "harness/data_files.h"
#include "harness/plan.h"
#include "reports/compare.h"
#include "reports/results_file.h"

namespace fairwire {
namespace {

void require(bool good, const std::string& message) {
  if (!good) throw UsageError("compare: " + message + "; see fairwire compare --help");
}

std::vector<ResultsFile> read_runs(const std::vector<std::string>& runs) {
  std::vector<ResultsFile> files;
  for (const std::string& run : runs) {
    const std::string file = results_file_of(run);
    require(::access(file.c_str(), R_OK) == 0,
            "cannot read " + printable(file) + ": name a run folder or its results.jsonl");
    files.push_back(read_results(file));
  }
  return files;
}

// The plan that lies beside the records of a run; nullopt where only the records are left.
std::optional<Plan> plan_beside(const std::string& run) {
  const std::string file = results_file_of(run);
  const size_t slash = file.rfind('/');
  const std::string plan =
      (slash == std::string::npos ? "" : file.substr(0, slash + 1)) + "plan.json";
  if (::access(plan.c_str(), R_OK) != 0) return std::nullopt;
  return load_plan(plan);
}

// Two build names that stand for the same paths are one program under two names.
std::vector<VariantPair> same_pairs_of(const Plan& plan) {
  std::vector<VariantPair> pairs;
  const auto paths = [&](const Variant& variant) {
    const Json* build = plan.builds.find(variant.build);
    return build == nullptr ? std::string() : build->dump();
  };
  for (const CaseSpec& spec : plan.cases) {
    for (size_t i = 0; i < spec.variants.size(); ++i) {
      for (size_t j = i + 1; j < spec.variants.size(); ++j) {
        const Variant& a = spec.variants[i];
        const Variant& b = spec.variants[j];
        if (a.tool != b.tool || a.settings != b.settings || paths(a).empty()) continue;
        if (paths(a) != paths(b)) continue;
        const auto is_known = [&](const VariantPair& pair) {
          return pair.baseline == a.name && pair.variant == b.name;
        };
        if (std::ranges::none_of(pairs, is_known)) pairs.push_back({a.name, b.name});
      }
    }
  }
  return pairs;
}

double threshold_of(const CompareArguments& arguments, const std::optional<Plan>& plan) {
  if (arguments.threshold_percent > 0) return arguments.threshold_percent;
  return plan ? static_cast<double>(plan->threshold_percent) : kDefaultThresholdPercent;
}

CompareOptions options_of(const CompareArguments& arguments, const std::optional<Plan>& plan) {
  return {threshold_of(arguments, plan), plan ? same_pairs_of(*plan) : std::vector<VariantPair>{}};
}

ExitCode code_of(const CompareReport& report) {
  ExitCode code = ExitCode::good;
  if (report.has(Finding::inconclusive) || report.has(Finding::under_six)) {
    code = worse(code, ExitCode::inconclusive);
  }
  if (report.has(Finding::slower)) code = worse(code, ExitCode::regression);
  if (report.is_unfit()) code = worse(code, ExitCode::not_measured);
  if (report.mismatched > 0) code = worse(code, ExitCode::mismatch);
  return code;
}

ExitCode answer(const CompareReport& report) {
  std::string text = render_compare(report);
  if (report.mismatched > 0) {
    text += fmt::format("{} of the compared trials landed something else than was sent.\n",
                        report.mismatched);
  }
  fmt::print("{}", text);
  return code_of(report);
}

ExitCode compare_two_runs(const CompareArguments& arguments) {
  require(arguments.runs.size() == 2, "needs two runs, BEFORE and AFTER");
  const double threshold = threshold_of(arguments, plan_beside(arguments.runs[1]));
  return answer(
      compare_runs(read_runs({arguments.runs[0]}), read_runs({arguments.runs[1]}), threshold));
}

void require_known(const std::vector<ResultsFile>& runs, const std::string& variant) {
  for (const ResultsFile& run : runs) {
    for (const Record& record : run.records) {
      const auto* header = std::get_if<HeaderRecord>(&record);
      if (header == nullptr) continue;
      for (const PlannedCase& planned : header->cases) {
        if (std::ranges::find(planned.variants, variant) != planned.variants.end()) return;
      }
    }
  }
  require(false, "no case has the variant \"" + printable(variant) + "\"");
}

ExitCode compare_two_variants(const CompareArguments& arguments) {
  require(!arguments.baseline.empty() && !arguments.variant.empty(),
          "--baseline and --variant belong together");
  require(arguments.baseline != arguments.variant, "--baseline and --variant are the same");
  require(!arguments.runs.empty(), "needs the run that holds both variants");
  const std::vector<ResultsFile> runs = read_runs(arguments.runs);
  require_known(runs, arguments.baseline);
  require_known(runs, arguments.variant);
  return answer(compare_variants(runs, {arguments.baseline, arguments.variant},
                                 options_of(arguments, plan_beside(arguments.runs[0]))));
}

// One batch of a gate: the folder of its run.
std::string carry_out_batch(const CompareArguments& arguments, ExitCode& code) {
  const RunResult run = carry_out({arguments.plan, arguments.testbed, arguments.folder});
  fmt::print("records: {}/results.jsonl\nreport:  {}\n", run.folder, run.page);
  if (run.code == ExitCode::interrupted) code = run.code;
  return run.folder;
}

ExitCode compare_plan(const CompareArguments& arguments) {
  require(arguments.runs.empty(), "--plan makes its own run; leave out the others");
  const Plan plan = load_plan(find_data_file(kPlansRoom, arguments.plan, "", ""));
  for (const CaseSpec& spec : plan.cases) {
    if (spec.variants.size() < 2) {
      throw FormatError(plan.file, "/cases",
                        "\"" + spec.name + "\" has no two variants to compare");
    }
  }
  const CompareOptions options = options_of(arguments, plan);
  ExitCode code = ExitCode::good;
  const VariantPair pair{arguments.baseline, arguments.variant};
  const std::vector<ResultsFile> first = read_runs({carry_out_batch(arguments, code)});
  CompareReport report = compare_variants(first, pair, options);
  if (code == ExitCode::good && has_flagged(report)) {
    fmt::print("{}\nA cell may be slower: the plan is carried out once more to confirm it.\n",
               render_compare(report));
    std::fflush(stdout);
    const std::vector<ResultsFile> fresh = read_runs({carry_out_batch(arguments, code)});
    report = confirmed(report, compare_variants(fresh, pair, options),
                       compare_variants({first[0], fresh[0]}, pair, options));
  }
  return worse(code, answer(report));
}

}  // namespace

ExitCode compare_verb(const CompareArguments& arguments) {
  if (!arguments.plan.empty()) return compare_plan(arguments);
  require(arguments.testbed.empty(), "--testbed goes with --plan");
  if (!arguments.baseline.empty() || !arguments.variant.empty()) {
    return compare_two_variants(arguments);
  }
  return compare_two_runs(arguments);
}

}  // namespace fairwire
