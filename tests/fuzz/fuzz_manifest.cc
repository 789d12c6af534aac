// A manifest that is accepted has its entries in order, and is written again with the same entries.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "datasets/manifest.h"

namespace {

// Fuzzers do not find SHA-256 digests: the closing line is also tried with the right one.
std::string with_right_end(const std::string& text) {
  const std::string body = "{\"fairwire_manifest\":1}\n" + text;
  int64_t entries = 0;
  for (const char c : text) entries += c == '\n';
  return body + "{\"end\":true,\"entries\":" + std::to_string(entries) +
         ",\"bytes\":0,\"sha256\":\"" + fairwire::to_hex(fairwire::sha256(body)) + "\"}\n";
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
  for (const fairwire::Entry& entry : entries) {
    if (reader.next() != entry) std::abort();
  }
  if (reader.next()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(with_right_end(text));
  return 0;
}
