// percost: what is done per piece, entry or record must cost the same however many came before.
// Every suite does its work for N, 8 N and 64 N pieces; the exponent of its CPU time (median of
// five repetitions in random order) must not exceed kMostExponent, but for the one bad example,
// which must. Exit 1 otherwise. `make percost` runs it; docs/method.md explains it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "datasets/manifest.h"
#include "drivers/agent/agent_messages.h"
#include "drivers/agent/agent_protocol.h"
#include "drivers/meter.h"
#include "drivers/wires/packet_queue.h"
#include "harness/progress.h"
#include "reports/report.h"
#include "reports/stat.h"
#include "tests/perf/cost_exponent.h"
#include "tests/perf/rate_windows.h"
#include "tests/reports/records_for_tests.h"

namespace {

using namespace fairwire;

/// Does its work for so many pieces; whatever is made ready first is not timed.
using Suite = std::function<void(benchmark::State&, int64_t pieces)>;

void progress(benchmark::State& state, int64_t pieces) {
  SystemClock clock;
  const TrialRecord record = testing_records::pull("c", "v", 1, 1);
  for (auto _ : state) {
    size_t written = 0;
    Progress bar(pieces, std::chrono::seconds(10), true, clock,
                 [&](const std::string& text) { written += text.size(); });
    for (int64_t i = 0; i < pieces; ++i) {
      bar.begin("case", "variant", i);
      bar.end(record);
    }
    benchmark::DoNotOptimize(written);
  }
}

void interface_counters(benchmark::State& state, int64_t pieces) {
  std::string text = "Inter-|   Receive\n face |bytes\n";
  for (int64_t i = 0; i < pieces; ++i) {
    text += "  if" + std::to_string(i) + ": 10 2 0 0 0 0 0 0 30 4 0 0 0 0 0 0\n";
  }
  for (auto _ : state) benchmark::DoNotOptimize(parse_interfaces(text));
}

Entry entry_of(int64_t i) {
  char name[32];
  std::snprintf(name, sizeof name, "folder/file-%09lld", static_cast<long long>(i));
  Entry entry;
  entry.path = name;
  entry.size = i;
  entry.mode = 0644;
  entry.sha256 = Digest{};
  return entry;
}

std::string manifest_of(int64_t pieces) {
  std::ostringstream out;
  ManifestWriter writer(out);
  for (int64_t i = 0; i < pieces; ++i) writer.write(entry_of(i));
  writer.finish();
  return out.str();
}

void manifest_writer(benchmark::State& state, int64_t pieces) {
  for (auto _ : state) benchmark::DoNotOptimize(manifest_of(pieces));
}

void manifest_reader(benchmark::State& state, int64_t pieces) {
  const std::string text = manifest_of(pieces);
  for (auto _ : state) {
    std::istringstream in(text);
    ManifestReader reader(in, "manifest");
    while (reader.next()) continue;
  }
}

ResultsFile records_of(int64_t pieces) {
  std::vector<Record> records{
      testing_records::header({testing_records::planned("c", pieces / 2, {"v", "w"})})};
  for (int64_t i = 0; i < pieces; ++i) {
    const double wall_s = 10 + 0.001 * static_cast<double>(i * 37 % 101);
    records.push_back(testing_records::pull("c", i % 2 == 0 ? "v" : "w", i / 2 + 1, wall_s));
  }
  return testing_records::results(std::move(records));
}

void record_append(benchmark::State& state, int64_t pieces) {
  const TrialRecord record = testing_records::pull("c", "v", 1, 1);
  for (auto _ : state) {
    const TempDir folder("percost", "/dev/shm");  // in memory: the cost of fsync is the disk's
    ResultsWriter writer(folder.path() + "/results.jsonl");
    for (int64_t i = 0; i < pieces; ++i) writer.append(record);
  }
}

void record_read(benchmark::State& state, int64_t pieces) {
  std::string text;
  for (const Record& record : records_of(pieces).records) text += to_json(record).dump() + "\n";
  for (auto _ : state) benchmark::DoNotOptimize(parse_results(text, "results.jsonl"));
}

void report(benchmark::State& state, int64_t pieces) {
  ReportInput input;
  input.runs = {records_of(pieces)};
  for (auto _ : state) benchmark::DoNotOptimize(make_report(input));
}

void packet_queue(benchmark::State& state, int64_t pieces) {
  for (auto _ : state) {
    LinkClock link({1'000'000'000, 0});
    DelayLine<int64_t> line;
    for (int64_t i = 0; i < pieces; ++i) {
      line.push(i, *link.admit(1500, Nanoseconds(i)) + std::chrono::milliseconds(40));
    }
    while (line.due(std::chrono::hours(1))) continue;
  }
}

void agent_lines(benchmark::State& state, int64_t pieces) {
  ExecReport exec;
  std::string bytes;
  for (int64_t i = 0; i < pieces; ++i) bytes += to_line(answer_line(Json(i), to_json(exec)));
  for (auto _ : state) {
    LineReader reader;
    for (size_t at = 0; at < bytes.size(); at += 64 << 10) {
      reader.feed(std::string_view(bytes).substr(at, 64 << 10));
      while (const auto line = reader.next())
        benchmark::DoNotOptimize(parse_answer(*line, "agent"));
    }
  }
}

template <typename Window>
void rate_window(benchmark::State& state, int64_t pieces) {
  for (auto _ : state) benchmark::DoNotOptimize(work_of_reports<Window>(pieces));
}

struct NamedSuite {
  const char* name;
  int64_t pieces;  ///< N
  Suite work;
  bool is_bad_example = false;
};

const std::vector<NamedSuite> kSuites = {
    {"progress", 500, progress},
    {"interface counters", 500, interface_counters},
    {"manifest writer, entry", 500, manifest_writer},
    {"manifest reader, entry", 500, manifest_reader},
    {"record append", 100, record_append},
    {"record read", 100, record_read},
    {"report, record", 100, report},
    {"packet queue, packet", 2000, packet_queue},
    {"agent lines", 200, agent_lines},
    {"rate window of buckets", 400, rate_window<BucketWindow>},
    {"rate window summed whole", 400, rate_window<SummedWindow>, true},
};

/// Keeps what each repetition took, per pieces; prints nothing of its own.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      const std::string& name = run.run_name.function_name;
      const int64_t pieces = std::stoll(run.run_name.args);
      seconds[name][pieces].push_back(run.cpu_accumulated_time /
                                      static_cast<double>(run.iterations));
    }
  }

  std::map<std::string, std::map<int64_t, std::vector<double>>> seconds;
};

// True when the suite is as it should be.
bool judge(const NamedSuite& suite, const std::map<int64_t, std::vector<double>>& seconds) {
  std::vector<std::pair<int64_t, double>> points;
  std::string costs;
  for (const auto& [pieces, times] : seconds) {
    points.emplace_back(pieces, *median(times));
    char text[32];
    std::snprintf(text, sizeof text, " %9.1f", points.back().second / double(pieces) * 1e9);
    costs += text;
  }
  const double exponent = cost_exponent(points);
  const bool is_constant = exponent <= kMostExponent;
  const bool good = is_constant != suite.is_bad_example;
  std::printf("%-26s %7lld %s   %5.2f   %s\n", suite.name,
              static_cast<long long>(points.front().first), costs.c_str(), exponent,
              !good                  ? "FAILED"
              : suite.is_bad_example ? "caught, as it must be"
                                     : "constant");
  return good;
}

}  // namespace

int main() {
  constexpr int kRepetitions = 5;
  for (const NamedSuite& suite : kSuites) {
    benchmark::RegisterBenchmark(
        suite.name, [&suite](benchmark::State& state) { suite.work(state, state.range(0)); })
        ->Arg(suite.pieces)
        ->Arg(8 * suite.pieces)
        ->Arg(64 * suite.pieces)
        ->Repetitions(kRepetitions)
        ->MinTime(0.02);
  }
  std::vector<std::string> words = {"percost", "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  std::printf("CPU time of a piece in ns, medians of %d; exponent of the whole, at most %.2f\n\n",
              kRepetitions, kMostExponent);
  std::printf("%-26s %7s %10s %9s %9s %10s\n", "suite", "N", "at N", "8 N", "64 N", "exponent");
  bool good = true;
  for (const NamedSuite& suite : kSuites) good &= judge(suite, collector.seconds[suite.name]);
  return good ? 0 : 1;
}
