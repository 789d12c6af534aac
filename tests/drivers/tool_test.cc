#include "drivers/tool.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "tests/harness/refusal.h"

namespace fairwire {
namespace {

#define HEAD \
  "{\"schema\": 1, \"name\": \"t\", \"version\": {\"argv\": [\"t\"], \"match\": \"v([0-9])\"}, "

TEST(Tool, WhatIsWrongIsNamedWithItsPlace) {
  const Refusal refusals[] = {
      {R"({"schema": 1, "name": "t", "shell": "rm"})", "/shell", "unknown key"},
      {R"({"schema": 1, "name": "T t"})", "/name", "a-z"},
      {R"j({"schema": 1, "name": "t", "version": {"argv": [], "match": "(x)"}})j", "/version/argv",
       "program name"},
      {R"j({"schema": 1, "name": "t", "version": {"argv": ["t"], "match": "("}})j",
       "/version/match", "regular expression"},
      {R"j({"schema": 1, "name": "t", "version": {"argv": ["t"], "match": "v[0-9]"}})j",
       "/version/match", "one group"},
      {HEAD R"("can": ["fly"]})", "/can/0", "none of: pull"},
      {HEAD R"("keeps": ["soul"]})", "/keeps/0", "none of: mode"},
      {HEAD R"("can": []})", "/", "at least one role"},
      {HEAD R"("can": ["pull"], "reader": {"push": ["t"]}})", "/can", "no role has a trigger"},
      {HEAD R"("reader": {"pull": "t {tree}"}})", "/reader/pull", "must be an object"},
      {HEAD R"("reader": {"pull": ["t", "{treee}"]}})", "/reader/pull/1",
       "unknown binding {treee}"},
      {HEAD R"("reader": {"pull": ["t", "lone { brace"]}})", "/reader/pull/1", "lone brace"},
      {HEAD R"("reader": {"pull": {"argv": ["t"], "output": "{nope}"}}})", "/reader/pull/output",
       "unknown binding"},
      {HEAD R"("reader": {"poll": ["t"]}})", "/reader/poll", "unknown key"},
      {HEAD R"("files": {"/etc/passwd": []}, "reader": {}})", "/files/~1etc~1passwd",
       "{work}/ only"},
      {HEAD R"("writer": {"ready": {"tcp": "{port}"}}})", "/writer", "without \"serve\""},
      {HEAD R"("writer": {"serve": ["t"], "ready": {}}})", "/writer/ready", "needs \"tcp\""},
      {HEAD R"("can": ["list"], "reader": {"list": ["t"]}})", "/can", "\"listing\" does not say"},
      {HEAD R"j("listing": {"match": "([0-9])"}, "reader": {}})j", "/listing/match", "two groups"},
      {HEAD R"("can": ["pull", "idle"], "reader": {"pull": ["t"]}})", "/can", "goes on after it"},
      {HEAD R"("reader": {"pull": {"argv": ["t"], "until": {"answered": true}}}})",
       "/reader/pull/until", "unknown key"},
      {HEAD R"("reader": {"connect": {"argv": ["t"], "until": {}}}})", "/reader/connect/until",
       "needs \"answered\""},
      {HEAD R"("reader": {"connect": {"argv": ["t"], "until": {"output": "("}}}})",
       "/reader/connect/until/output", "regular expression"},
      {HEAD R"("reader": {"index": "t"}})", "/reader/index", "must be an array"},
      {HEAD R"("durable_settings": {"fsync": "each"}, "reader": {}})", "/durable_settings/fsync",
       "no setting"},
      {HEAD R"("done": "maybe", "writer": {}})", "/done", "none of: exit"},
  };
  for (const Refusal& refusal : refusals) {
    expect_refused(refusal, [](const Json& json) { parse_tool(json, "file.json"); });
  }
}

TEST(Tool, EveryShippedToolLoadsUnderItsFileName) {
  int tools = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(FAIRWIRE_SOURCE_DIR "/drivers/tools")) {
    const ToolSpec tool = load_tool(file.path());
    EXPECT_EQ(tool.name, file.path().stem());
    EXPECT_FALSE(tool.notes.empty()) << tool.name << ": why these flags?";
    EXPECT_EQ(tool.digest.size(), 64u);
    ++tools;
  }
  EXPECT_GE(tools, 8);
}

TEST(Tool, VersionIsTheFirstGroup) {
  const ToolSpec tool = load_tool(FAIRWIRE_SOURCE_DIR "/drivers/tools/rsync-daemon.json");
  EXPECT_EQ(tool.find_version("rsync  version 3.5.0  protocol version 32"), "3.5.0");
  EXPECT_EQ(tool.find_version("something else"), std::nullopt);
}

TEST(Expand, BindingsAndLiteralBraces) {
  const Bindings bindings = {{"tree", "/t"}, {"port", "7"}};
  EXPECT_EQ(expand("a{tree}b{port}{{c}}", bindings, "f"), "a/tb7{c}");
  EXPECT_THROW(expand("{work}", bindings, "f"), FormatError) << "no value in this place";
  EXPECT_EQ(expand_argv({"x", "{settings}", "{tree}"}, bindings, {"--a", "{port}"}, "f"),
            (std::vector<std::string>{"x", "--a", "7", "/t"}));
  EXPECT_EQ(expand_argv({"x", "{settings}"}, bindings, {}, "f"), std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace fairwire
