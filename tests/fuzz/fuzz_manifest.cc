// A manifest that is accepted has its entries in order, and is written again with the same entries.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "datasets/manifest.h"

namespace {

// Fuzzers do not find SHA-256 digests: the closing line is also tried with the right ones.
std::string with_right_end(const std::string& text, int schema) {
  const std::string body = "{\"fairwire_manifest\":" + std::to_string(schema) + "}\n" + text + '\n';
  fairwire::MerkleTree tree;
  int64_t entries = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line); ++entries) {
    tree.add(fairwire::without_local(line));
  }
  std::string end = "{\"end\":true,\"entries\":" + std::to_string(entries) + ",\"bytes\":0";
  if (schema > 1) end += ",\"root\":\"" + fairwire::to_hex(tree.root()) + '"';
  return body + end + ",\"sha256\":\"" + fairwire::to_hex(fairwire::sha256(body)) + "\"}\n";
}

void read(const std::string& text) {
  std::vector<fairwire::Entry> entries;
  try {
    std::istringstream in(text);
    fairwire::ManifestReader reader(in, "f");
    while (auto entry = reader.next()) {
      if (!entries.empty() && entry->path <= entries.back().path) std::abort();
      entries.push_back(*std::move(entry));
    }
  } catch (const fairwire::FormatError&) {
    return;
  }
  std::ostringstream out;
  fairwire::ManifestWriter writer(out);
  for (const fairwire::Entry& entry : entries) writer.write(entry);
  writer.finish();
  std::istringstream again(out.str());
  fairwire::ManifestReader reader(again, "f");
  for (fairwire::Entry entry : entries) {
    entry.local_unknown = false;  // what is written is of the newest schema
    if (reader.next() != entry) std::abort();
  }
  if (reader.next()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  for (const int schema : {1, 2}) read(with_right_end(text, schema));
  return 0;
}
