#include "datasets/content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/digest.h"

namespace fairwire {
namespace {

std::string block_of(Content content, int64_t block, size_t size) {
  std::string text(size, '\0');
  fill_block(content, content_seed(1, "log"), block, std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Golden: published digests of data sets rest on these bytes.
TEST(Content, NeverChanges) {
  EXPECT_EQ(to_hex(sha256(block_of(Content::random, 0, 1 << 20))),
            "3116496711607b28d6ec388bb54926d3dc7d0b6a869c3454db432ba7520cae6a");
  EXPECT_EQ(to_hex(sha256(block_of(Content::log_text, 0, 1 << 20))),
            "e99cfd7e14f4b393141fdd66a777d15bee06734661280c601f7f3201507fb502");
  EXPECT_EQ(to_hex(sha256(block_of(Content::log_text, 70'000, 1 << 20))),
            "f2a3f70fbf2f3efc893cc919cf07d39f82903c86b23d8e51ca4c212a8e349be3");
}

// Whether `text` begins like `form`, in which a 0 stands for any digit.
bool has_form(const std::string& text, const std::string& form) {
  if (text.size() < form.size()) return false;
  for (size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
  }
  return true;
}

bool is_log_line(const std::string& text) {
  if (!has_form(text, "2026-00-00T00:00:00.000Z ")) return false;
  const std::string level = text.substr(25, 5);
  if (level != "INFO " && level != "DEBUG" && level != "WARN " && level != "ERROR") return false;
  const size_t dash = text.find('-', 32);
  return text.substr(30, 2) == " [" && dash != std::string::npos &&
         has_form(text.substr(dash), "-00] ");
}

TEST(LogText, LinesAreWhatTheDocumentSays) {
  auto lines = lines_of(block_of(Content::log_text, 0, 1 << 20));
  lines.pop_back();  // cut where the block ends
  size_t shortest = 1000;
  std::set<std::string> first_words;
  for (const std::string& text : lines) {
    ASSERT_TRUE(is_log_line(text)) << text;
    shortest = std::min(shortest, text.size());
    first_words.insert(text.substr(text.find(']') + 2, 5));
  }
  EXPECT_GT(shortest, 60u);
  EXPECT_EQ(first_words.size(), 7u);  // two of the eight messages begin with "request"
}

TEST(LogText, TimeNeverRunsBackwardsWithinAFile) {
  std::string before;
  for (const int64_t block : {0, 1, 2, 143, 144, 145, 4000, 70'000, 1'048'575}) {
    for (const std::string& line : lines_of(block_of(Content::log_text, block, 1 << 20))) {
      if (line.size() < 24) continue;
      ASSERT_LE(before, line.substr(0, 24)) << "in block " << block;
      before = line.substr(0, 24);
    }
  }
}

TEST(LogText, CountsDaysRight) {
  EXPECT_EQ(block_of(Content::log_text, 144, 200).substr(0, 17), "2026-01-02T00:00:");
  EXPECT_EQ(block_of(Content::log_text, 144 * 59, 200).substr(0, 10), "2026-03-01");
  EXPECT_EQ(block_of(Content::log_text, 144 * (365 + 365 + 59), 200).substr(0, 10), "2028-02-29");
  EXPECT_EQ(block_of(Content::log_text, 144 * (365 + 365 + 366), 200).substr(0, 10), "2029-01-01");
}

TEST(Content, AShortBlockIsTheStartOfAFullOne) {
  for (const Content content : {Content::random, Content::log_text, Content::zeros}) {
    const std::string whole = block_of(content, 3, 1 << 20);
    for (const size_t size : {size_t{1}, size_t{7}, size_t{8}, size_t{100}, size_t{65'537}}) {
      std::string part = block_of(content, 3, size);
      if (content == Content::log_text) {
        EXPECT_EQ(part.back(), '\n');
        part.pop_back();
      }
      EXPECT_EQ(part, whole.substr(0, part.size())) << size;
    }
    EXPECT_EQ(block_of(content, 3, 0), "");
  }
}

TEST(Content, FilesAndBlocksDiffer) {
  EXPECT_NE(block_of(Content::random, 0, 64), block_of(Content::random, 1, 64));
  EXPECT_NE(content_seed(1, "a"), content_seed(1, "b"));
  EXPECT_NE(content_seed(1, "a"), content_seed(2, "a"));
}

}  // namespace
}  // namespace fairwire
