// A receiver against a crafted sender, over real sockets: what it must refuse, and that nothing
// outside its root is touched meanwhile.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <future>

#include "base/temp_dir.h"
#include "reference/content.h"
#include "reference/opening.h"
#include "reference/transfer/receiver.h"

namespace fairsync {
namespace {

constexpr std::chrono::milliseconds kTimeout(5000);

struct Pair {
  std::unique_ptr<TlsStream> client;
  std::unique_ptr<TlsStream> server;
};

Pair connect(const TlsContext& client, const TlsContext& server) {
  int ends[2];
  const FileDescriptor listener = listen_on("127.0.0.1", 0);
  FileDescriptor near = dial({"127.0.0.1", port_of(listener)}, kTimeout);
  ends[0] = near.release();
  ends[1] = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
  return {std::make_unique<TlsStream>(client, FileDescriptor(ends[0])),
          std::make_unique<TlsStream>(server, FileDescriptor(ends[1]))};
}

PresharedKey key(char letter) {
  return derive_key(std::string(32, letter));
}

class HostileTest : public testing::Test {
 protected:
  std::unique_ptr<Channel> add_connection(std::unique_ptr<Channel>& sender_end) {
    Pair pair = connect(client_, server_);
    std::thread other([&] { pair.server->handshake(kTimeout); });
    pair.client->handshake(kTimeout);
    other.join();
    sender_end = std::make_unique<Channel>(std::move(pair.server));
    return std::make_unique<Channel>(std::move(pair.client));
  }

  // What the receiver says after the crafted sender has said `control` and then `data`.
  std::string receive(const FrameBuilder& control, const FrameBuilder& data = {}) {
    Connections connections;
    connections.control = add_connection(control_);
    connections.data.resize(1);
    connections.data[0] = add_connection(data_);
    Session session(std::move(connections), kTimeout);
    std::thread sender([&] {
      try {
        control_->send(control);
        if (data.size() > 0) {
          control_->receive(kControlLimit);  // the want
          data_->send(data);
        }
        while (control_->receive(kControlLimit, kTimeout)) {
        }
      } catch (const ProtocolError&) {
      }
    });
    std::string said = "done";
    try {
      ReceiveCounters counters;
      Receiver(session, fairwire::open_file(root(), O_RDONLY | O_DIRECTORY), Durable::none,
               counters)
          .run();
    } catch (const std::exception& error) {
      session.fail(std::current_exception());
      said = error.what();
    }
    sender.join();
    return said;
  }

  std::string root() const { return folder_.path() + "/root"; }

  void SetUp() override {
    ASSERT_EQ(::mkdir(root().c_str(), 0755), 0);
    fairwire::write_file(folder_.path() + "/canary", "sings");
    fairwire::write_file(root() + "/mine", "stays");
  }
  void TearDown() override {
    EXPECT_EQ(fairwire::read_file(folder_.path() + "/canary", 100), "sings");
    EXPECT_EQ(fairwire::read_file(root() + "/mine", 100), "stays");
    EXPECT_NE(::access((root() + "/.fairsync-staging").c_str(), F_OK), 0);
  }

  fairwire::TempDir folder_{"fairsync-test"};
  TlsContext client_{Side::client, key('k')};
  TlsContext server_{Side::server, key('k')};
  std::unique_ptr<Channel> control_;
  std::unique_ptr<Channel> data_;
};

Entry entry(EntryKind kind, std::string name, std::string target = "") {
  return {
      kind, {0755, 1, 2}, kind == EntryKind::file ? 3u : 0u, std::move(name), std::move(target)};
}

FrameBuilder listing(EntryId directory, std::vector<Entry> entries, bool last = true) {
  FrameBuilder out;
  put_list(out, {directory, last, false, std::move(entries)});
  return out;
}

TEST_F(HostileTest, NamesThatLeadElsewhere) {
  const std::string long_name(256, 'n');
  for (const std::string& name :
       {std::string(".."), std::string("../canary"), std::string("/etc/passwd"), std::string(""),
        std::string("a\0b", 3), std::string("."), std::string("a/b"), long_name,
        std::string(kStagingName)}) {
    EXPECT_NE(receive(listing(0, {entry(EntryKind::file, name)})), "done") << name;
  }
}

TEST_F(HostileTest, ASymlinkIsNoDirectory) {
  FrameBuilder out = listing(0, {entry(EntryKind::symlink, "d", "..")});
  put_list(out, {1, true, false, {entry(EntryKind::file, "canary")}});
  EXPECT_NE(receive(out).find("no directory"), std::string::npos);
}

TEST_F(HostileTest, ANameTwice) {
  EXPECT_NE(
      receive(listing(0, {entry(EntryKind::directory, "d"), entry(EntryKind::symlink, "d", "..")}))
          .find("twice"),
      std::string::npos);
}

TEST_F(HostileTest, AnUnknownDirectory) {
  EXPECT_NE(receive(listing(9, {})), "done");
}

TEST_F(HostileTest, ACutListingDeletesNothing) {
  FrameBuilder out = listing(0, {}, false);
  put_list_end(out, {0, {0755, 1, 2}});
  EXPECT_NE(receive(out).find("before all"), std::string::npos);
  out = listing(0, {});
  put_list_end(out, {5, {0755, 1, 2}});
  EXPECT_NE(receive(out), "done");
}

BundledFile bundled(EntryId id, std::string_view text) {
  const Bytes content = std::as_bytes(std::span(text));
  return {id, static_cast<uint32_t>(text.size()), {0644, 1, 2}, digest_of(content), content};
}

TEST_F(HostileTest, OnlyWhatWasWantedLands) {
  FrameBuilder data;
  put_bundle(data, {bundled(2, "abc")});
  EXPECT_NE(receive(listing(0, {entry(EntryKind::file, "f")}), data).find("not wanted"),
            std::string::npos);
}

TEST_F(HostileTest, AWrongDigestGetsNoName) {
  FrameBuilder data;
  BundledFile file = bundled(1, "abc");
  file.digest[0] ^= 1;
  put_bundle(data, {file});
  EXPECT_NE(receive(listing(0, {entry(EntryKind::file, "f")}), data).find("digest"),
            std::string::npos);
  EXPECT_NE(::access((root() + "/f").c_str(), F_OK), 0);
}

TEST_F(HostileTest, SameMustBeHeld) {
  FrameBuilder out = listing(0, {entry(EntryKind::file, "f")}, false);
  put_same(out, {1});
  EXPECT_NE(receive(out), "done");
}

TEST_F(HostileTest, AnOversizeFrame) {
  FrameBuilder out;
  out.begin(FrameType::list);
  out.room(kControlLimit + 1);
  out.end();
  EXPECT_NE(receive(out).find("at most"), std::string::npos);
}

TEST(OpeningTest, AnotherVersionIsRefusedWithBothNumbers) {
  FrameBuilder out;
  put_hello(out, 7);
  try {
    check_hello({FrameType::hello, out.view().subspan(kFrameHeader)});
    FAIL();
  } catch (const ProtocolError& error) {
    EXPECT_NE(std::string(error.what()).find("protocol 7"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("protocol 0"), std::string::npos);
  }
}

TEST(OpeningTest, TheKeyMustBeTheSame) {
  const TlsContext client(Side::client, key('a'));
  const TlsContext server(Side::server, key('b'));
  Pair pair = connect(client, server);
  std::thread other([&] { EXPECT_THROW(pair.server->handshake(kTimeout), KeyError); });
  EXPECT_THROW(pair.client->handshake(kTimeout), KeyError);
  other.join();
}

TEST(KeyTest, HexAndBytes) {
  const std::string hex(64, 'a');
  EXPECT_EQ(derive_key(hex), derive_key(hex + "\n"));
  EXPECT_EQ(derive_key(hex), derive_key(std::string(32, '\xaa')));
  EXPECT_NE(derive_key(hex), derive_key(hex + "\n\n"));
  EXPECT_THROW(derive_key("fifteen bytes.."), std::invalid_argument);
}

TEST(AddressTest, IsHostAndPort) {
  EXPECT_EQ(parse_address("host:80")->port, 80);
  EXPECT_EQ(parse_address("[::1]:80")->host, "::1");
  for (const char* bad : {"", "host", ":80", "host:", "host:0", "host:65536", "::1:80", "h:8x"}) {
    EXPECT_FALSE(parse_address(bad)) << bad;
  }
}

// Field case C23: many small messages must not wait for each other's acknowledgements.
TEST(TlsStream, SendsWithoutNaglesDelay) {
  const TlsContext client(Side::client, key('k'));
  const FileDescriptor listener = listen_on("127.0.0.1", 0);
  FileDescriptor near = dial({"127.0.0.1", port_of(listener)}, kTimeout);
  const FileDescriptor kept(::dup(near.get()));
  const TlsStream stream(client, std::move(near));
  int on = 0;
  socklen_t size = sizeof on;
  ASSERT_EQ(::getsockopt(kept.get(), IPPROTO_TCP, TCP_NODELAY, &on, &size), 0);
  EXPECT_EQ(on, 1);
}

}  // namespace
}  // namespace fairsync
