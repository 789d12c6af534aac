#include "drivers/wires/link_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"

namespace fairwire {
namespace {

using std::chrono::milliseconds;

TEST(LinkCommand, RunsACommandBesideItsPeer) {
  if (::geteuid() != 0) GTEST_SKIP() << "namespaces need root";
  if (::access("/dev/net/tun", R_OK | W_OK) != 0) GTEST_SKIP() << "no /dev/net/tun";
  LinkOptions options;
  options.self_binary = FAIRWIRE_TEST_AGENT;
  options.up = options.down = {40'000'000, 0, {}};
  options.round_trip = milliseconds(10);
  options.peer = "sleep 60";
  options.command = {"sh", "-c", "test \"$FAIRWIRE_PEER\" = 10.77.0.2 && exit 7"};
  EXPECT_EQ(run_link(options), 7);
  options.command = {"sh", "-c", "kill -9 $$"};
  EXPECT_EQ(run_link(options), 128 + 9);
}

TEST(SplitWords, WorksLikeASimpleShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_words(R"(a  "b c" 'd "e' f\ g "h\"i" '')"),
            (Words{"a", "b c", "d \"e", "f g", "h\"i", ""}));
  EXPECT_EQ(split_words("  "), Words{});
  EXPECT_EQ(split_words("$HOME *"), (Words{"$HOME", "*"}));
  EXPECT_THROW(split_words("'a"), FormatError);
  EXPECT_THROW(split_words("a\\"), FormatError);
}

TEST(ParseDuration, TakesUnits) {
  EXPECT_EQ(parse_duration("80ms"), milliseconds(80));
  EXPECT_EQ(parse_duration("1.5s"), milliseconds(1500));
  EXPECT_EQ(parse_duration("250us"), std::chrono::microseconds(250));
  for (const char* text : {"", "80", "ms", "-1ms", "1h", "nan s", "9999s"}) {
    EXPECT_THROW(parse_duration(text), FormatError) << text;
  }
}

}  // namespace
}  // namespace fairwire
