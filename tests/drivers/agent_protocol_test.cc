#include "drivers/agent/agent_protocol.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "drivers/agent.h"
#include "drivers/agent/agent_messages.h"

namespace fairwire {
namespace {

TEST(LineReader, CutsWhereverTheBytesAreCut) {
  const std::string text = "one\n\ntwo\nthree";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    LineReader reader;
    reader.feed(std::string_view(text).substr(0, cut));
    reader.feed(std::string_view(text).substr(cut));
    EXPECT_EQ(reader.next(), "one");
    EXPECT_EQ(reader.next(), "");
    EXPECT_EQ(reader.next(), "two");
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_EQ(reader.rest(), "three");
  }
}

TEST(LineReader, HoldsALineOfTheLimitAndNoMore) {
  LineReader reader;
  reader.feed(std::string(kLineLimit - 1, 'x'));
  EXPECT_THROW(LineReader(reader).feed("x"), ProtocolError);
  reader.feed("\n");
  EXPECT_EQ(reader.next()->size(), kLineLimit - 1);
}

TEST(AgentProtocol, SendsNoLineAboveTheLimit) {
  const size_t frame = to_line(Json("")).size();
  EXPECT_EQ(to_line(Json(std::string(kLineLimit - frame, 'x'))).size(), kLineLimit);
  EXPECT_THROW(to_line(Json(std::string(kLineLimit - frame + 1, 'x'))), ProtocolError);
}

TEST(AgentProtocol, ChunkInBase64FitsIntoALine) {
  const std::string chunk(kChunkBytes, '\xff');
  EXPECT_LT(to_base64(chunk).size() + 2 * 4096 + 200, kLineLimit);
}

TEST(AgentProtocol, RefusesBadCalls) {
  for (const char* line :
       {"", "{", "[]", "7", "{}", R"({"id":1})", R"({"call":"meter"})", R"({"id":-1,"call":"x"})",
        R"({"id":"1","call":"x"})", R"({"id":1,"call":""})", R"({"id":1,"call":7})",
        R"({"id":1,"id":2,"call":"x"})", R"({"id":9007199254740993,"call":"x"})",
        "{\"id\":1,\"call\":\"\xff\"}"}) {
    EXPECT_THROW(parse_call(line), FormatError) << line;
  }
  const AgentCall call = parse_call(R"({"id":7,"call":"free_port"})");
  EXPECT_EQ(call.id, 7);
  EXPECT_EQ(call.name, "free_port");
}

TEST(AgentProtocol, RefusesBadAnswers) {
  for (const char* line : {R"({"id":1})", R"({"ok":1})", R"({"id":1,"ok":1,"error":{}})",
                           R"({"id":1,"ok":1,"more":1})", R"({"id":1.5,"ok":1})"}) {
    EXPECT_THROW(parse_answer(line, "answer"), FormatError) << line;
  }
  EXPECT_TRUE(parse_answer(R"({"id":1,"ok":null})", "answer").ok.is_null());
  EXPECT_FALSE(parse_answer(R"({"id":null,"error":{}})", "answer").id);
}

template <typename Error>
Error there_and_back(const Error& error) {
  const Json line = error_line(1, std::make_exception_ptr(error));
  try {
    throw_agent_error(JsonView(*line.find("error"), "answer"), "paris: ");
  } catch (const Error& caught) {
    return caught;
  }
}

TEST(AgentProtocol, ErrorsCrossAsWhatTheyAre) {
  const SystemError system = there_and_back(SystemError("open", "/odd\n\xff", 2));
  EXPECT_EQ(system.attempt, "paris: open");
  EXPECT_EQ(system.path, "/odd\n\xff");
  EXPECT_EQ(system.error_number, 2);
  const FormatError format = there_and_back(FormatError("spec", "/files", "is odd"));
  EXPECT_EQ(format.file, "paris: spec");
  EXPECT_EQ(format.pointer, "/files");
  EXPECT_STREQ(there_and_back(ProtocolError("no")).what(), "paris: no");
  const Json line = error_line(1, std::make_exception_ptr(7));
  EXPECT_EQ(*line.find("error")->find("kind")->if_string(), "other");
}

TEST(Base64, MatchesTheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  for (const char* bad :
       {"Z", "Zg", "Zg=", "Zg==Zg==", "Zh==", "Zm9=", "====", "Z===", "Zm 9", "Zm-_"}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(from_base64(to_base64(all)), all);
}

TEST(AgentMessages, ValuesCrossWhole) {
  ExecSpec spec;
  spec.name = "rsync.1";
  spec.argv = {"rsync", "--x=\xff\n\\"};
  spec.environment = {{"A", "b=c"}, {"EMPTY", ""}};
  spec.directory = "/odd \x01";
  spec.stdout_path = "/out";
  spec.deadline = std::chrono::seconds(5);
  spec.stall = std::chrono::seconds(2);
  const Json json = to_json(spec);
  const ExecSpec back = exec_spec_from(JsonView(json, "spec"));
  EXPECT_EQ(back.argv, spec.argv);
  EXPECT_EQ(back.environment, spec.environment);
  EXPECT_EQ(back.directory, spec.directory);
  EXPECT_EQ(back.deadline, spec.deadline);
  EXPECT_EQ(to_json(back), json);

  for (const ExecEnd end : {ExecEnd::exited, ExecEnd::signalled, ExecEnd::deadline,
                            ExecEnd::stalled, ExecEnd::stopped, ExecEnd::not_started}) {
    ExecReport report;
    report.end = end;
    report.left_processes = {"a\xff"};
    const Json written = to_json(report);
    EXPECT_EQ(to_json(exec_report_from(JsonView(written, "report"))), written);
  }
}

TEST(AgentMessages, RefusesBadSpecs) {
  const Json good = Json::parse(R"({"name":"x","argv":["true"]})", "spec");
  EXPECT_NO_THROW(exec_spec_from(JsonView(good, "spec")));
  const std::pair<const char*, const char*> kBad[] = {{"name", R"("A")"},
                                                      {"name", R"("../x")"},
                                                      {"name", R"("..")"},
                                                      {"name", R"("")"},
                                                      {"argv", "[]"},
                                                      {"argv", R"([""])"},
                                                      {"argv", R"(["a\\x00b"])"},
                                                      {"argv", R"(["\\q"])"},
                                                      {"argv", R"("true")"},
                                                      {"environment", R"(["A"])"},
                                                      {"environment", R"(["=b"])"},
                                                      {"directory", R"("here")"},
                                                      {"deadline_ns", "-1"},
                                                      {"stall_ns", "1.5"},
                                                      {"shell", "true"}};
  for (const auto& [key, value] : kBad) {
    Json bad = good;
    bad.set(key, Json::parse(value, "value"));
    EXPECT_THROW(exec_spec_from(JsonView(bad, "spec")), FormatError) << key << ' ' << value;
  }
}

TEST(AgentMessages, SeedsAreTextOfUpTo64Bits) {
  const auto seed = [](const Json& json) { return seed_from(JsonView(json, "seed")); };
  EXPECT_EQ(seed("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  for (const char* bad : {"", "-1", "1x", " 1", "18446744073709551616"}) {
    EXPECT_THROW(seed(bad), FormatError) << bad;
  }
  EXPECT_THROW(seed(1), FormatError);
}

TEST(AgentOptions, AreClosed) {
  const AgentOptions options = parse_agent_options({"--name", "paris", "--meter", "wait4"});
  EXPECT_EQ(options.name, "paris");
  EXPECT_EQ(options.meter, "wait4");
  const std::vector<std::string> kBad[] = {
      {"--name"},          {"--nose", "x"},        {"--name", "a/b"},
      {"--token", "../x"}, {"--work", "relative"}, {"--meter", "guess"}};
  for (const auto& words : kBad) EXPECT_THROW(parse_agent_options(words), FormatError);
}

}  // namespace
}  // namespace fairwire
