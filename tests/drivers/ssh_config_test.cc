#include "drivers/machines/ssh_config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"

namespace fairwire {
namespace {

SshOptions good_options() {
  SshOptions options;
  options.name = "paris";
  options.host = "192.0.2.7";
  options.run_folder = "/nowhere";
  return options;
}

std::string refusal(const SshOptions& options) {
  try {
    check_ssh_options(options);
  } catch (const FormatError& error) {
    return error.what();
  }
  return {};
}

TEST(SshConfig, PlainOptionsAreTaken) {
  EXPECT_EQ(refusal(good_options()), "");
  SshOptions options = good_options();
  options.host = "fe80::1%eth0";
  options.user = "root";
  options.host_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA";
  EXPECT_EQ(refusal(options), "");
}

TEST(SshConfig, WordsThatCouldMeanSomethingElseAreRefused) {
  for (const char* word : {"-oProxyCommand=x", "a b", "a\nProxyCommand x", "\"", "$x", "a;b"}) {
    SshOptions options = good_options();
    options.host = word;
    EXPECT_NE(refusal(options), "") << word;
    options = good_options();
    options.user = word;
    EXPECT_NE(refusal(options), "") << word;
  }
  SshOptions options = good_options();
  options.host_key = "ssh-ed25519 AAAA\n* ssh-ed25519 BBBB";
  EXPECT_NE(refusal(options), "");
  options = good_options();
  options.port = 65536;
  EXPECT_NE(refusal(options), "");
}

// ssh would ignore such a key and say "Permission denied (publickey)".
TEST(SshConfig, KeyFileThatOthersMayReadIsNamed) {
  const TempDir folder("key");
  SshOptions options = good_options();
  options.identity_file = folder.path() + "/key";
  write_file(options.identity_file, "x", 0600);
  EXPECT_EQ(refusal(options), "");
  ASSERT_EQ(::chmod(options.identity_file.c_str(), 0664), 0);
  const std::string said = refusal(options);
  EXPECT_NE(said.find("key file too open: mode 0664"), said.npos) << said;
  EXPECT_NE(said.find("chmod 600 " + options.identity_file), said.npos) << said;
  options.identity_file = folder.path() + "/absent";
  EXPECT_THROW(check_ssh_options(options), SystemError);
}

TEST(SshConfig, ControlPathIsShortOrNone) {
  SshOptions options = good_options();
  EXPECT_LE(control_path(options).size(), kLongestControlPath);
  EXPECT_NE(control_path(options), "");
  options.host = std::string(200, 'h');
  EXPECT_LE(control_path(options).size(), kLongestControlPath);
  EXPECT_NE(control_path(options), "");
  options.socket_folder = "/tmp/" + std::string(120, 'd');
  EXPECT_EQ(control_path(options), "");
}

TEST(SshConfig, PathsThatTheConfigurationCannotHoldAreRefused) {
  for (const char* path : {"/a\"b", "/a\nb", "/a\\b", "/${HOME}/b"}) {
    EXPECT_THROW(ssh_config_text(good_options(), path), FormatError) << path;
  }
  const std::string text = ssh_config_text(good_options(), "/a b/50%");
  EXPECT_NE(text.find("UserKnownHostsFile \"/a b/50%%\"\n"), text.npos) << text;
}

TEST(SshConfig, KeyIsPinnedOrTakenOnFirstUse) {
  SshOptions options = good_options();
  EXPECT_NE(ssh_config_text(options, "/k").find("StrictHostKeyChecking accept-new\n"),
            std::string::npos);
  options.host_key = "ssh-ed25519 AAAA";
  EXPECT_NE(ssh_config_text(options, "/k").find("StrictHostKeyChecking yes\n"), std::string::npos);
}

TEST(SshConfig, ComplaintsHaveClasses) {
  const struct {
    SshFailure failure;
    const char* text;
  } rows[] = {
      {SshFailure::closed_early, "kex_exchange_identification: read: Connection reset by peer\n"},
      {SshFailure::closed_early,
       "kex_exchange_identification: Connection closed by remote host\n"
       "Connection closed by 10.0.0.1 port 22\n"},
      {SshFailure::closed_early, "Connection closed by 10.0.0.1 port 22\n"},
      {SshFailure::other,
       "Authenticated to a ([10.0.0.1]:22) using \"publickey\".\n"
       "Connection closed by 10.0.0.1 port 22\n"},
      {SshFailure::unreachable, "ssh: connect to host a port 22: Connection refused\n"},
      {SshFailure::unreachable, "ssh: connect to host a port 22: Connection timed out\n"},
      {SshFailure::unreachable, "ssh: connect to host a port 22: No route to host\n"},
      {SshFailure::unreachable, "ssh: Could not resolve hostname a: Name or service not known\n"},
      {SshFailure::authentication, "root@a: Permission denied (publickey).\n"},
      {SshFailure::host_key,
       "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n"
       "Host key verification failed.\n"},
      {SshFailure::other, ""},
      {SshFailure::other, "This account is currently not available.\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(ssh_failure_from(row.text), row.failure) << row.text;
}

}  // namespace
}  // namespace fairwire
