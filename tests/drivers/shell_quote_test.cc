#include "drivers/machines/shell_quote.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "drivers/machines/remote_frame.h"
#include "drivers/subprocess.h"

namespace fairwire {
namespace {

std::vector<std::string> hostile_words() {
  std::vector<std::string> words = {"",
                                    "plain",
                                    "two words",
                                    "'",
                                    "''",
                                    "a'b",
                                    "\"",
                                    "$(touch pwn)",
                                    "`id`",
                                    "$HOME",
                                    "\\",
                                    "\\'",
                                    "a\nb",
                                    "\n",
                                    "-n",
                                    "--",
                                    "*",
                                    "~",
                                    "!x",
                                    "a;b&&c||d",
                                    "# no",
                                    "{a,b}",
                                    "\t",
                                    "\xff\xfe",
                                    "\u00e4\u20ac",
                                    "%s%n",
                                    "&",
                                    ">out",
                                    "<in",
                                    "'; exit 3; '",
                                    "'\\''",
                                    "$'x'"};
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  words.push_back(all);
  return words;
}

// What a shell makes of the command line: each argument, ended by a zero byte.
std::string read_back(const std::string& line) {
  return run_command({"sh", "-c", line}, "", std::chrono::seconds(10)).out;
}

TEST(ShellQuote, AnyWordIsReadBackByteForByte) {
  for (const std::string& word : hostile_words()) {
    EXPECT_EQ(read_back(shell_command({"printf", "%s\\0", word})), word + '\0') << word;
  }
}

TEST(ShellQuote, WordsStayApart) {
  std::vector<std::string> argv = {"printf", "%s\\0"};
  std::string expected;
  for (const std::string& word : hostile_words()) {
    argv.push_back(word);
    expected += word + '\0';
  }
  EXPECT_EQ(read_back(shell_command(argv)), expected);
}

TEST(ShellQuote, ZeroByteIsRefused) {
  EXPECT_THROW(shell_quote(std::string("a\0b", 3)), SystemError);
}

TEST(RemoteFrame, OutputAndExitCodeAreFoundAmongNoise) {
  const std::string command = framed_command("mark-42", {"sh", "-c", "printf out; exit 7"}, true);
  const std::string said = read_back("echo welcome; " + command + "; echo bye");
  const auto framed = read_frame("mark-42", said);
  ASSERT_TRUE(framed) << said;
  EXPECT_EQ(framed->noise, "welcome\n");
  EXPECT_EQ(framed->out, "out");
  EXPECT_EQ(framed->exit_code, 7);
}

TEST(RemoteFrame, OutputMayHoldAnything) {
  for (const std::string& word : hostile_words()) {
    const auto framed =
        read_frame("mark-42", read_back(framed_command("mark-42", {"printf", "%s", word}, true)));
    ASSERT_TRUE(framed) << word;
    EXPECT_EQ(framed->out, word);
    EXPECT_EQ(framed->exit_code, 0);
  }
}

TEST(RemoteFrame, ShellThatPrintsItsCommandIsNotTakenForTheCommand) {
  const std::string command = framed_command("mark-42", {"echo", "hello"}, true);
  const auto framed = read_frame("mark-42", command + '\n' + read_back(command));
  ASSERT_TRUE(framed);
  EXPECT_EQ(framed->noise, command + '\n');
  EXPECT_EQ(framed->out, "hello\n");
}

TEST(RemoteFrame, HalfAFrameIsNone) {
  for (const char* text : {"", "noise", "mark-42\n", "mark-42\nout", "mark-42\nout\nmark-42 ",
                           "mark-42\nout\nmark-42 0", "out\nmark-42 0\n"}) {
    EXPECT_FALSE(read_frame("mark-42", text)) << text;
  }
}

}  // namespace
}  // namespace fairwire
