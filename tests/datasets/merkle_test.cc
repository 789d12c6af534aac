#include "datasets/merkle.h"

#include <set>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

std::string root_of_lines(const std::vector<std::string>& lines) {
  MerkleTree tree;
  for (const std::string& line : lines) tree.add(line);
  return to_hex(tree.root());
}

// The eight leaves with which implementations of RFC 6962 test themselves.
const std::vector<std::string> kLeaves = {"",
                                          std::string(1, '\0'),
                                          "\x10",
                                          "\x20\x21",
                                          "\x30\x31",
                                          "\x40\x41\x42\x43",
                                          "\x50\x51\x52\x53\x54\x55\x56\x57",
                                          "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c"
                                          "\x6d\x6e\x6f"};

TEST(Merkle, IsTheTreeHashOfRfc6962) {
  EXPECT_EQ(root_of_lines({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(root_of_lines({""}),
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  EXPECT_EQ(root_of_lines(kLeaves),
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
}

Digest tagged(char tag, const std::string& bytes) {
  return sha256(tag + bytes);
}

std::string text_of(const Digest& digest) {
  return {digest.begin(), digest.end()};
}

// As the definition is: by halves, not as a stream.
Digest by_definition(const std::vector<std::string>& lines) {
  if (lines.empty()) return sha256("");
  if (lines.size() == 1) return tagged('\0', lines[0]);
  size_t k = 1;
  while (2 * k < lines.size()) k *= 2;
  const auto middle = lines.begin() + static_cast<std::ptrdiff_t>(k);
  return tagged('\1', text_of(by_definition({lines.begin(), middle})) +
                          text_of(by_definition({middle, lines.end()})));
}

TEST(Merkle, TheStreamAgreesWithTheDefinitionForEveryNumberOfLines) {
  std::vector<std::string> lines;
  MerkleTree tree;
  for (int i = 0; i < 130; ++i) {
    EXPECT_EQ(to_hex(tree.root()), to_hex(by_definition(lines))) << i;
    lines.push_back("line " + std::to_string(i));
    tree.add(lines.back());
  }
}

// A leaf whose text is that of an inner node has another digest.
TEST(Merkle, ALeafIsNoNode) {
  const std::string node = text_of(tagged('\0', "a")) + text_of(tagged('\0', "b"));
  EXPECT_NE(root_of_lines({node}), root_of_lines({"a", "b"}));
}

TEST(Merkle, OrderNumberAndEveryLineCount) {
  std::set<std::string> roots = {root_of_lines({"a", "b", "c"}), root_of_lines({"b", "a", "c"}),
                                 root_of_lines({"a", "b"}), root_of_lines({"a", "b", "c", "c"}),
                                 root_of_lines({"a", "bc"})};
  EXPECT_EQ(roots.size(), 5u);
}

TEST(Merkle, TheLocalPartIsCutAndNothingElse) {
  EXPECT_EQ(without_local(R"({"path":"a","local":{"uid":1,"gid":2}})"), R"({"path":"a"})");
  EXPECT_EQ(without_local(R"({"path":"a"})"), R"({"path":"a"})");
  const std::string hostile = R"({"path":"a\",\"local\":{"})";
  EXPECT_EQ(without_local(hostile), hostile);
}

// The example of docs/manifest.md; its root was computed by tests/datasets/merkle_root.py.
TEST(Merkle, TheDocumentedExampleHasTheDocumentedRoot) {
  std::ifstream page(FAIRWIRE_SOURCE_DIR "/docs/manifest.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(page, line) && !line.starts_with(R"({"end":true,"en)");) {
    if (line.starts_with(R"({"path")")) lines.push_back(without_local(line));
  }
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(root_of_lines(lines),
            "2c16e15a061c2930d65929e87abb5975869ced604a3a15a9b70ab66a6a2b0a55");
  lines.pop_back();
  EXPECT_EQ(root_of_lines(lines),
            "92028f231d39dbde16a9a24772941282a0029ae9178f99c079039af5e131effa");
}

}  // namespace
}  // namespace fairwire
