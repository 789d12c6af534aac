#include "reference/store/folder_store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/temp_dir.h"
#include "tests/reference/store_contract.h"

namespace fairsync {
namespace {

// The folder goes with the last store in it.
std::shared_ptr<Store> fresh(FolderStore::Durable durable) {
  struct Held {
    fairwire::TempDir folder{"fairsync-store"};
    std::unique_ptr<FolderStore> store;
  };
  const auto held = std::make_shared<Held>();
  held->store = std::make_unique<FolderStore>(held->folder.path(), durable);
  return {held, held->store.get()};
}

INSTANTIATE_TEST_SUITE_P(
    Folder, StoreContract,
    testing::Values(StoreKind{"durable", [] { return fresh(FolderStore::Durable::yes); }},
                    StoreKind{"not_durable", [] { return fresh(FolderStore::Durable::no); }}),
    [](const auto& kind) { return kind.param.name; });

TEST(FolderStore, WhatAKilledWriterLeftIsTakenAway) {
  const fairwire::TempDir folder("fairsync-store");
  const std::vector<std::byte> block(64 << 10);
  for (int round = 0; round < 20; ++round) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      FolderStore store(folder.path());
      for (int i = 0;; ++i) {
        store.put_new("k/" + std::to_string(round) + "-" + std::to_string(i), block);
      }
    }
    ::usleep(3000 + static_cast<unsigned>(round) * 700);
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    FolderStore store(folder.path());
    for (const StoredObject& object : store.list("")) ASSERT_EQ(object.size, block.size());
    const std::string staging = folder.path() + "/.tmp";
    if (::access(staging.c_str(), F_OK) == 0) {
      ASSERT_EQ(::rmdir(staging.c_str()), 0) << "something was left in " << staging;
    }
  }
}

TEST(FolderStore, NoFolderIsAnError) {
  const fairwire::TempDir folder("fairsync-store");
  EXPECT_THROW(FolderStore(folder.path() + "/none"), SystemError);
  EXPECT_THROW(FolderStore::create(folder.path()), SystemError);
  FolderStore::create(folder.path() + "/new");
  EXPECT_TRUE(FolderStore(folder.path() + "/new").put_new("a", {}));
}

}  // namespace
}  // namespace fairsync
