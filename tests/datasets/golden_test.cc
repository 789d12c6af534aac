// The Merkle root of each shipped recipe's tree with seed 1. They are published: a change here is a
// new version of every data set. To compute one again, make the tree with `fairwire dataset`, write
// its manifest, and run tests/datasets/merkle_root.py on that; or run this test and read its
// message. Bigger recipes are only read.
#include <filesystem>

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

struct Golden {
  const char* name;
  int64_t files;
  int64_t bytes;
  const char* root;
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
  EXPECT_EQ(root_of(entries_of(dir.path() + "/tree")), GetParam().root);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShippedRecipe,
    testing::Values(Golden{"tiny", 4, 2215,
                           "be2547826f77ad2f94f675299fbce42e02f50c8e38f851c8ee31efd013c6bef4"},
                    Golden{"small-100", 100, 1688990,
                           "8c7691f494b873024a9e212d94c10c215d330f5831ac94d9ac0f557c1040f981"},
                    Golden{"small-1000", 1000, 18094630,
                           "69801fa258d22fd5d7097c0cd83987fc7f0c4691955ee8425dc5578efb022cca"},
                    Golden{"small-4000", 4000, 73689510,
                           "8fc995f79af56a2b672493d74fb033517d6d2e9fb4645bfd19fa8f480d7fff13"},
                    Golden{"random-16mib", 1, 16777216,
                           "bfa1547ffa95ff3944fe933facdb58fdf24b878145080d156ed21a514d355791"},
                    Golden{"log-text", 8, 67108864,
                           "a1925c1ae5c990535ecadf0baecbe171b19b20619b2d724581508e11ce61809d"},
                    Golden{"random-256mib", 1, 268435456,
                           "a4f8d9bfb2a0b6b7397e96ee43f48479a45224cf6c8220ef9f4b6c817f42a4aa"}),
    [](const auto& test) {
      std::string name = test.param.name;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

TEST(ShippedRecipes, AllAreValidAndNamedAsTheirFile) {
  int64_t recipes = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(FAIRWIRE_SOURCE_DIR "/datasets/specs")) {
    const std::string path = file.path().string();
    EXPECT_EQ(parse_dataset_spec(Json::parse_file(path), path).name, file.path().stem().string());
    ++recipes;
  }
  EXPECT_GE(recipes, 40);
}

// Their pages say how much that was; "MB" is 10^6 bytes. Within one percent, with seed 1.
TEST(ShippedRecipes, ThoseOfPublishedPagesHaveTheirSizes) {
  struct Published {
    const char* name;
    double files;
    double bytes;
  };
  constexpr double kMiB = 1 << 20;
  for (const Published& page :
       {Published{"delta-small-500", 500, 9.5e6}, Published{"delta-small-4000", 4000, 74e6},
        Published{"varsto-files", 10000, 281 * kMiB},
        Published{"varsto-small", 50000, 1.37 * 1024 * kMiB},
        Published{"varsto-text", 128, 512 * kMiB}, Published{"varsto-large", 2, 4096 * kMiB},
        Published{"varsto-big", 5, 12 * 1024 * kMiB}, Published{"keibidrop-10gb", 1, 10e9},
        Published{"swarmfile-8gib", 1, 8 * 1024 * kMiB}}) {
    const std::string path =
        std::string(FAIRWIRE_SOURCE_DIR "/datasets/specs/") + page.name + ".json";
    const DatasetSpec spec = parse_dataset_spec(Json::parse_file(path), path);
    double bytes = 0;
    for (size_t group = 0; group < spec.groups.size(); ++group) {
      for (int64_t i = 0; i < spec.groups[group].count; ++i) {
        bytes += static_cast<double>(drawn_size(spec.groups[group], group, 1, i));
      }
    }
    EXPECT_EQ(static_cast<double>(spec.planned_files()), page.files) << page.name;
    EXPECT_NEAR(bytes, page.bytes, page.bytes / 100) << page.name;
  }
}

}  // namespace
}  // namespace fairwire
