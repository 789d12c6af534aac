// Small trees for the tests of datasets/: made by hand or from a recipe's text, listed as entries.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/json.h"
#include "base/temp_dir.h"
#include "datasets/diff.h"
#include "datasets/generate.h"
#include "datasets/manifest.h"
#include "datasets/spec.h"
#include "datasets/tree_walk.h"

namespace fairwire {

/// A recipe from what stands behind "schema", "name" and "title".
inline DatasetSpec spec_of(const std::string& rest) {
  const std::string text = R"({"schema":1,"name":"test","title":"A test")" +
                           (rest.empty() ? std::string() : "," + rest) + "}";
  return parse_dataset_spec(Json::parse(text, "recipe.json"), "recipe.json");
}

inline std::vector<Entry> entries_of(const std::string& root, unsigned threads = 2) {
  std::vector<Entry> entries;
  WalkOptions options;
  options.threads = threads;
  walk_tree(root, options, [&](const Entry& entry) { entries.push_back(entry); });
  return entries;
}

inline std::vector<std::string> paths_of(const std::vector<Entry>& entries) {
  std::vector<std::string> paths;
  for (const Entry& entry : entries) paths.push_back(entry.path);
  return paths;
}

inline const Entry& entry_at(const std::vector<Entry>& entries, const std::string& path) {
  for (const Entry& entry : entries) {
    if (entry.path == path) return entry;
  }
  throw std::out_of_range("no entry " + escape_name(path));
}

inline std::string manifest_of(const std::vector<Entry>& entries) {
  std::ostringstream out;
  ManifestWriter writer(out);
  for (const Entry& entry : entries) writer.write(entry);
  writer.finish();
  return out.str();
}

/// The Merkle root of the tree.
inline std::string root_of(const std::vector<Entry>& entries) {
  std::ostringstream out;
  ManifestWriter writer(out);
  for (const Entry& entry : entries) writer.write(entry);
  return to_hex(writer.root());
}

/// All entries; throws FormatError for anything but a whole manifest.
inline std::vector<Entry> read_manifest(const std::string& text) {
  std::istringstream in(text);
  ManifestReader reader(in, "manifest");
  std::vector<Entry> entries;
  while (auto entry = reader.next()) entries.push_back(*std::move(entry));
  return entries;
}

inline EntrySource source_of(std::vector<Entry> entries) {
  return [entries = std::move(entries), next = size_t{0}]() mutable -> std::optional<Entry> {
    if (next == entries.size()) return std::nullopt;
    return entries[next++];
  };
}

/// A refused input: where, and a part of what the message says.
struct Refused {
  std::string text;
  std::string pointer;
  std::string part_of_reason;
};

template <typename Read>
void expect_refused(const Refused& refused, const Read& read) {
  try {
    read(refused.text);
    ADD_FAILURE() << "accepted: " << refused.text.substr(0, 200);
  } catch (const FormatError& error) {
    EXPECT_EQ(error.pointer, refused.pointer) << refused.text.substr(0, 200);
    EXPECT_NE(error.reason.find(refused.part_of_reason), std::string::npos) << error.what();
  }
}

}  // namespace fairwire
