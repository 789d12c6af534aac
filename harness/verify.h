// The judge's decision: a landed tree's manifest held against the wanted one. Exit codes, percents
// and summaries of tools play no part here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "datasets/diff.h"
#include "reports/record.h"

namespace fairwire {

/// Compares two manifest files of this host. `keeps` are the tool's claims (docs/tool.md): they
/// decide whether a metadata difference is a verdict or only reported. The record keeps the first
/// differences; `each` sees every one.
VerdictRecord judge_manifests(const std::string& wanted, const std::string& landed,
                              const std::vector<std::string>& keeps,
                              const std::function<void(const DifferenceRecord&)>& each = {});

/// `fairwire verify DIR LIST`: hashes DIR and holds it against a list of digests or a manifest.
struct VerifyResult {
  DiffResult diff;
  bool had_crlf = false;
  bool content_only = false;  ///< the list knows no metadata, folders or links
  int64_t not_regular = 0;    ///< FIFOs, sockets, devices: listed, never read
  int64_t hashed_bytes = 0;
};
VerifyResult verify_directory(const std::string& directory, const std::string& list,
                              unsigned threads, const std::function<void(const Difference&)>& each,
                              const std::function<void(int64_t bytes, int64_t entries)>& progress);

}  // namespace fairwire
