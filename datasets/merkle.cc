#include "datasets/merkle.h"

#include <span>

namespace fairwire {
namespace {

constexpr std::byte kLeaf{0};
constexpr std::byte kNode{1};
constexpr std::string_view kLocal = R"(,"local":{)";

}  // namespace

void MerkleTree::add(std::string_view line) {
  hash_.update(std::span(&kLeaf, 1));
  hash_.update(line);
  Digest digest = hash_.finish();
  for (uint64_t whole = lines_; (whole & 1) != 0; whole >>= 1) {
    digest = node(peaks_.back(), digest);
    peaks_.pop_back();
  }
  peaks_.push_back(digest);
  ++lines_;
}

Digest MerkleTree::root() {
  if (peaks_.empty()) return sha256("");
  Digest digest = peaks_.back();
  for (size_t i = peaks_.size() - 1; i-- > 0;) digest = node(peaks_[i], digest);
  return digest;
}

Digest MerkleTree::node(const Digest& left, const Digest& right) {
  hash_.update(std::span(&kNode, 1));
  hash_.update(std::as_bytes(std::span(left)));
  hash_.update(std::as_bytes(std::span(right)));
  return hash_.finish();
}

// Within a JSON string a quotation mark has a backslash before it, so what is looked for is never
// part of a name.
std::string without_local(std::string_view line) {
  const size_t local = line.rfind(kLocal);
  if (local == std::string_view::npos) return std::string(line);
  return std::string(line.substr(0, local)) + '}';
}

}  // namespace fairwire
