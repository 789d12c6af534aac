#include "datasets/spec.h"

#include "tests/datasets/trees.h"

namespace fairwire {
namespace {

std::string recipe(const std::string& rest) {
  return R"({"schema":1,"name":"n","title":"t")" + rest + "}";
}
std::string group(const std::string& rest) {
  return recipe(R"(,"groups":[{"count":2,"size_quantiles":[1])" + rest + "}]");
}
std::string entry(const std::string& text) {
  return recipe(R"(,"entries":[)" + text + "]");
}
std::string file_at(const std::string& path) {
  return entry(R"({"kind":"file","path":")" + path + "\"}");
}
std::string repeated(const std::string& item, int count) {
  std::string list = item;
  for (int i = 1; i < count; ++i) list += "," + item;
  return list;
}

void parse(const std::string& text) {
  parse_dataset_spec(Json::parse(text, "r.json"), "r.json");
}

class RefusedRecipe : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRecipe, NamesThePlace) {
  expect_refused(GetParam(), parse);
}

INSTANTIATE_TEST_SUITE_P(
    Top, RefusedRecipe,
    testing::Values(
        Refused{"[]", "/", "object"}, Refused{R"({"name":"n","title":"t"})", "/", "\"schema\""},
        Refused{R"({"schema":3,"name":"n","title":"t"})", "/schema", "from 1 to 2"},
        Refused{R"({"schema":1,"title":"t"})", "/", "\"name\""},
        Refused{R"({"schema":1,"name":"a/b","title":"t"})", "/name", "letters"},
        Refused{R"({"schema":1,"name":"","title":"t"})", "/name", "letters"},
        Refused{R"({"schema":1,"name":")" + std::string(65, 'n') + R"(","title":"t"})", "/name",
                "1 to 64"},
        Refused{R"({"schema":1,"name":"n","title":""})", "/title", "empty"},
        Refused{R"({"schema":1,"name":"n","title":")" + std::string(201, 't') + R"("})", "/title",
                "200"},
        Refused{recipe(R"(,"color":1)"), "/color", "unknown key"},
        Refused{recipe(R"(,"file_mode":"644")"), "/file_mode", "four octal digits"},
        Refused{recipe(R"(,"file_mode":"0888")"), "/file_mode", "four octal digits"},
        Refused{recipe(R"(,"file_mode":420)"), "/file_mode", "string"},
        Refused{recipe(R"(,"directory_mode":"07777")"), "/directory_mode", "four octal digits"},
        Refused{recipe(R"(,"first_mtime_s":-2147483649)"), "/first_mtime_s", "from -2147483648"},
        Refused{recipe(R"(,"first_mtime_s":4294967297)"), "/first_mtime_s", "to 4294967296"},
        Refused{recipe(R"(,"groups":{})"), "/groups", "array"},
        Refused{recipe(R"(,"groups":[)" + repeated("{}", 65) + "]"), "/groups", "more than 64"},
        Refused{recipe(R"(,"entries":[)" + repeated("{}", 10'001) + "]"), "/entries",
                "more than 10000"}));

INSTANTIATE_TEST_SUITE_P(
    Groups, RefusedRecipe,
    testing::Values(
        Refused{recipe(R"(,"groups":[{"count":1}])"), "/groups/0", "size_quantiles"},
        Refused{recipe(R"(,"groups":[{"size_quantiles":[1]}])"), "/groups/0", "count"},
        Refused{recipe(R"(,"groups":[{"count":0,"size_quantiles":[1]}])"), "/groups/0/count",
                "from 1"},
        Refused{recipe(R"(,"groups":[{"count":4000001,"size_quantiles":[1]}])"), "/groups/0/count",
                "to 4000000"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[]}])"),
                "/groups/0/size_quantiles", "1 to 1025"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[)" + repeated("1", 1026) + "]}]"),
                "/groups/0/size_quantiles", "1 to 1025"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[2,1]}])"),
                "/groups/0/size_quantiles/1", "smaller"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[-1]}])"),
                "/groups/0/size_quantiles/0", "from 0"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[1099511627777]}])"),
                "/groups/0/size_quantiles/0", "to 1099511627776"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[1.5]}])"),
                "/groups/0/size_quantiles/0", "integer"},
        Refused{recipe(R"(,"groups":[{"count":17,"size_quantiles":[1099511627776]}])"), "/",
                "2^44"},
        Refused{recipe(R"(,"groups":[{"count":4000000,"size_quantiles":[0]},
                {"count":1,"prefix":"x","size_quantiles":[0]}])"),
                "/", "4 000 000"},
        Refused{group(R"(,"files_per_folder":3)"), "/groups/0/files_per_folder", "from 0 to 2"},
        Refused{group(R"(,"content":"noise")"), "/groups/0/content", "random, log_text, zeros"},
        Refused{group(R"(,"prefix":"a/b")"), "/groups/0/prefix", "folder"},
        Refused{group(R"(,"suffix":"\\q")"), "/groups/0/suffix", "escape"},
        Refused{group(R"(,"folder":"../x")"), "/groups/0/folder", ".."},
        Refused{group(R"(,"prefix":")" + std::string(255, 'p') + "\""), "/groups/0", "255"},
        Refused{recipe(R"(,"groups":[{"count":1,"size_quantiles":[1]},
                {"count":2,"size_quantiles":[1]}])"),
                "/groups/1", "earlier group"}));

INSTANTIATE_TEST_SUITE_P(
    Paths, RefusedRecipe,
    testing::Values(Refused{file_at(""), "/entries/0/path", "empty"},
                    Refused{file_at("/etc/passwd"), "/entries/0/path", "absolute"},
                    Refused{file_at("a/../b"), "/entries/0/path", "\"..\""},
                    Refused{file_at(".."), "/entries/0/path", "\"..\""},
                    Refused{file_at("./a"), "/entries/0/path", "\".\""},
                    Refused{file_at("a//b"), "/entries/0/path", "empty part"},
                    Refused{file_at("a/"), "/entries/0/path", "empty part"},
                    Refused{file_at("a\\\\x00b"), "/entries/0/path", "NUL"},
                    Refused{file_at("a\\u0000b"), "/entries/0/path", "escape"},
                    Refused{file_at("a\\\\x41"), "/entries/0/path", "escape"},
                    Refused{file_at(std::string(256, 'n')), "/entries/0/path", "255"},
                    Refused{file_at(std::string(1'048'577, 'n')), "/entries/0/path", "1 MiB"},
                    Refused{file_at([] {
                              std::string path = "a";
                              for (int i = 0; i < 2048; ++i) path += "/a";
                              return path;
                            }()),
                            "/entries/0/path", "2048 parts"}));

INSTANTIATE_TEST_SUITE_P(
    Entries, RefusedRecipe,
    testing::Values(
        Refused{entry("{}"), "/entries/0", "kind"},
        Refused{entry(R"({"kind":"device","path":"a"})"), "/entries/0/kind", "fifo"},
        Refused{entry(R"({"kind":"directory","path":"a","size":1})"), "/entries/0/size", "unknown"},
        Refused{entry(R"({"kind":"file","path":"a","target":"b"})"), "/entries/0/target",
                "unknown"},
        Refused{entry(R"({"kind":"symlink","path":"a"})"), "/entries/0", "target"},
        Refused{entry(R"({"kind":"symlink","path":"a","target":""})"), "/entries/0/target",
                "1 to 4095"},
        Refused{entry(R"({"kind":"symlink","path":"a","target":"x","mode":"0777"})"),
                "/entries/0/mode", "unknown"},
        Refused{entry(R"({"kind":"file","path":"a","size":1099511627777})"), "/entries/0/size",
                "to 1099511627776"},
        Refused{entry(R"({"kind":"file","path":"a"},{"kind":"fifo","path":"a"})"),
                "/entries/1/path", "twice"},
        Refused{entry(R"({"kind":"symlink","path":"d","target":"/etc"},
                {"kind":"file","path":"d/x"})"),
                "/entries/1/path", "no directory"},
        Refused{entry(R"({"kind":"file","path":"a/b"},{"kind":"symlink","path":"a","target":"c"})"),
                "/entries/1/path", "folder of an earlier"},
        Refused{entry(R"({"kind":"hardlink","path":"a","target":"b"})"), "/entries/0/target",
                "earlier"},
        Refused{entry(R"({"kind":"fifo","path":"b"},{"kind":"hardlink","path":"a","target":"b"})"),
                "/entries/1/target", "\"file\""}));

TEST(Recipe, TakesEveryBound) {
  parse(recipe(""));
  parse(recipe(R"(,"first_mtime_s":-2147483648)"));
  parse(recipe(R"(,"groups":[{"count":4000000,"size_quantiles":[4194304]}])"));
  parse(recipe(R"(,"groups":[{"count":1,"size_quantiles":[)" + repeated("7", 1025) + "]}]"));
  parse(recipe(R"(,"groups":[{"count":16,"size_quantiles":[0,1099511627776]}])"));
  parse(file_at(std::string(255, 'n')));
  parse(entry(R"({"kind":"symlink","path":"a","target":")" + std::string(4095, 't') + R"("})"));
}

TEST(Recipe, IsReadAsWritten) {
  const DatasetSpec spec = spec_of(R"("file_mode":"0600","directory_mode":"2755",
      "first_mtime_s":-5,"groups":[{"folder":"a/b","prefix":"p-","suffix":".x","count":12,
      "size_quantiles":[1,5],"files_per_folder":5,"content":"log_text"}],
      "entries":[{"kind":"file","path":"f\\xff","size":3,"mode":"4755"},
      {"kind":"hardlink","path":"g","target":"f\\xff"}])");
  EXPECT_EQ(spec.file_mode, 0600u);
  EXPECT_EQ(spec.directory_mode, 02755u);
  EXPECT_EQ(spec.first_mtime_s, -5);
  EXPECT_EQ(spec.entries[0].path, "f\xff");
  EXPECT_EQ(spec.entries[0].mode, 04755u);
  EXPECT_EQ(spec.planned_files(), 14);
  EXPECT_EQ(group_path(spec.groups[0], 0), "a/b/d0/p-00.x");
  EXPECT_EQ(group_path(spec.groups[0], 4), "a/b/d0/p-04.x");
  EXPECT_EQ(group_path(spec.groups[0], 11), "a/b/d2/p-11.x");
}

// Hostile but small: thousands of parts must not cost thousands of searches each.
TEST(Recipe, ManyDeepEntriesAreCheckedQuickly) {
  std::string path = "a";
  for (int i = 0; i < 2000; ++i) path += "/a";
  std::string list;
  for (int i = 0; i < 1000; ++i) {
    list += (i > 0 ? "," : "") + (R"({"kind":"file","path":")" + path + std::to_string(i) + "\"}");
  }
  parse(entry(list));
}

}  // namespace
}  // namespace fairwire
