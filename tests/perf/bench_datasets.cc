// bench_datasets RECIPE REPEATS [FOLDER]: makes, walks and hashes a data set so many times and
// prints the median of each. Run by hand on a release build; it asserts nothing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/temp_dir.h"
#include "datasets/generate.h"
#include "datasets/manifest.h"
#include "datasets/tree_walk.h"

namespace {

using fairwire::Nanoseconds;

template <typename Work>
Nanoseconds timed(const Work& work) {
  const Nanoseconds start = fairwire::monotonic_now();
  work();
  return fairwire::monotonic_now() - start;
}

void write_manifest(const std::string& tree, bool hash) {
  std::ostringstream out;
  fairwire::ManifestWriter writer(out);
  fairwire::WalkOptions options;
  options.hash = hash;
  fairwire::walk_tree(tree, options, [&](const fairwire::Entry& entry) { writer.write(entry); });
  writer.finish();
}

void print(const char* what, std::vector<Nanoseconds> times, const fairwire::GeneratedTree& made) {
  std::sort(times.begin(), times.end());
  const double seconds = static_cast<double>(times[times.size() / 2].count()) * 1e-9;
  std::printf("%-14s n=%zu median %.4f s, %.0f MB/s, %.0f files/s\n", what, times.size(), seconds,
              static_cast<double>(made.bytes) / seconds * 1e-6,
              static_cast<double>(made.files) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: bench_datasets RECIPE REPEATS [FOLDER]\n"), 2;
  const auto spec = fairwire::parse_dataset_spec(fairwire::Json::parse_file(argv[1]), argv[1]);
  const int repeats = std::max(1, std::atoi(argv[2]));
  std::vector<Nanoseconds> generate, walk, hash;
  fairwire::GeneratedTree made;
  for (int i = 0; i < repeats; ++i) {
    const fairwire::TempDir folder("bench", argc > 3 ? argv[3] : "/dev/shm");
    const std::string tree = folder.path() + "/tree";
    generate.push_back(timed([&] { made = generate_dataset(spec, 1, tree); }));
    walk.push_back(timed([&] { write_manifest(tree, false); }));
    hash.push_back(timed([&] { write_manifest(tree, true); }));
  }
  print("generate", generate, made);
  print("walk", walk, made);
  print("walk and hash", hash, made);
  return 0;
}
