// The digest of each shipped recipe's manifest with seed 1. They are published: a change here is a
// new version of every data set. The digest is what sha256sum prints for the manifest of the tree;
// those of "tiny" and "small-100" were also computed by a second program, written from
// docs/dataset.md alone. To compute one again, make the tree with `fairwire dataset`, write its
// manifest, and run sha256sum on that; or run this test and read its message.
// random-1gib is left out for its size.
#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

struct Golden {
  const char* name;
  int64_t files;
  int64_t bytes;
  const char* manifest_sha256;
};

class ShippedRecipe : public testing::TestWithParam<Golden> {};

TEST_P(ShippedRecipe, MakesThePublishedTree) {
  const std::string path =
      std::string(FAIRWIRE_SOURCE_DIR "/datasets/specs/") + GetParam().name + ".json";
  const DatasetSpec spec = parse_dataset_spec(Json::parse_file(path), path);
  EXPECT_EQ(spec.name, GetParam().name);
  const TempDir dir("datasets", "/dev/shm");
  const GeneratedTree made = generate_dataset(spec, 1, dir.path() + "/tree");
  EXPECT_EQ(made.files, GetParam().files);
  EXPECT_EQ(made.bytes, GetParam().bytes);
  EXPECT_EQ(to_hex(sha256(manifest_of(entries_of(dir.path() + "/tree")))),
            GetParam().manifest_sha256);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShippedRecipe,
    testing::Values(Golden{"tiny", 4, 2215,
                           "1f39844f70be5f38a43a8eabb87c60c170fd9001e22b24b4b063e3fb708b13c6"},
                    Golden{"small-100", 100, 1688990,
                           "6754030139a7aeedb724ac85653e164305b79f53352fe9ccc0128c17bb703edc"},
                    Golden{"small-1000", 1000, 18094630,
                           "4ee16f8142a2de094acfdd39523da0eafec26a9f91eabe18f8f760582fb5ced3"},
                    Golden{"small-4000", 4000, 73689510,
                           "1ecd1d2bc38471c5ec42f3af189b621edec09dc1c58a8c529698796b4470c192"},
                    Golden{"random-16mib", 1, 16777216,
                           "008031fa27a992a1b57670c05af541a1e391e0f872660ca0ba46ed586545257f"},
                    Golden{"log-text", 8, 67108864,
                           "0d442a4438dc61a9e24bfc00c640ccc8762fda5604dd0a0688c8d2f36cb58563"},
                    Golden{"random-256mib", 1, 268435456,
                           "69e6ebbc245c55d11ffbe436fc42f868a75c699c564253206342710a0234434c"}),
    [](const auto& test) {
      std::string name = test.param.name;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

TEST(ShippedRecipes, TheBigOneIsValidToo) {
  const std::string path = FAIRWIRE_SOURCE_DIR "/datasets/specs/random-1gib.json";
  EXPECT_EQ(parse_dataset_spec(Json::parse_file(path), path).planned_files(), 1);
}

}  // namespace
}  // namespace fairwire
