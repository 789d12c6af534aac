#include "datasets/content.h"

#include <cstring>
#include <string>

#include "base/rng.h"

namespace fairwire {
namespace {

uint64_t block_seed(uint64_t file_seed, int64_t block) {
  char number[8];
  std::memcpy(number, &block, sizeof number);  // little-endian: base/rng.cc asserts it
  return derive_seed(file_seed, std::string_view(number, sizeof number));
}

}  // namespace

uint64_t content_seed(uint64_t seed, std::string_view path) {
  return derive_seed(seed, "content of " + std::string(path));
}

void fill_block(Content content, uint64_t file_seed, int64_t block, std::span<std::byte> out) {
  switch (content) {
    case Content::random:
    case Content::sparse:  // only the pieces that are data are asked for
      return Rng(block_seed(file_seed, block)).fill(out);
    case Content::log_text:
      return fill_log_text(block_seed(file_seed, block), block, out);
    case Content::zeros:
      std::memset(out.data(), 0, out.size());
  }
}

}  // namespace fairwire
