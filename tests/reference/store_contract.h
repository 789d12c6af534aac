// What every kind of store must do: reference/store/store.h. A kind is a maker of empty stores.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "reference/floor.h"
#include "reference/store/store.h"

namespace fairsync {

struct StoreKind {
  std::string name;
  /// A store that lives as long as the object; another of the same place for another client.
  std::function<std::shared_ptr<Store>()> make;
};

class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override { store_ = GetParam().make(); }

  static std::vector<std::byte> bytes(const std::string& text) {
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    return {from, from + text.size()};
  }
  std::string text(const std::string& name) {
    const auto size = store_->size(name);
    if (!size) return "(nothing)";
    const auto got = store_->get(name, 0, *size);
    return {reinterpret_cast<const char*>(got->data()), got->size()};
  }

  std::shared_ptr<Store> store_;
};

TEST_P(StoreContract, WhatWasPutIsThereOnce) {
  EXPECT_TRUE(store_->put_new("packs/ab/one", bytes("first")));
  EXPECT_FALSE(store_->put_new("packs/ab/one", bytes("second")));
  EXPECT_EQ(text("packs/ab/one"), "first");
  EXPECT_TRUE(store_->put_new("empty", {}));
  EXPECT_EQ(store_->size("empty"), 0u);
  EXPECT_EQ(store_->get("empty", 0, 0)->size(), 0u);
}

TEST_P(StoreContract, RangesAreExactOrRefused) {
  store_->put_new("o", bytes("0123456789"));
  EXPECT_EQ(*store_->get("o", 3, 4), bytes("3456"));
  EXPECT_EQ(*store_->get("o", 10, 0), bytes(""));
  EXPECT_THROW(store_->get("o", 8, 3), ProtocolError);
  EXPECT_THROW(store_->get("o", 11, 0), ProtocolError);
  EXPECT_THROW(store_->get("o", UINT64_MAX, 2), ProtocolError);
}

TEST_P(StoreContract, WhatIsNotThereIsNothing) {
  EXPECT_FALSE(store_->get("packs/none", 0, 1));
  EXPECT_FALSE(store_->size("packs"));
  EXPECT_FALSE(store_->remove("packs/none"));
  store_->put_new("a", bytes("x"));
  EXPECT_FALSE(store_->get("a/b", 0, 1)) << "beneath an object";
  EXPECT_TRUE(store_->remove("a"));
  EXPECT_FALSE(store_->size("a"));
  EXPECT_TRUE(store_->put_new("a", bytes("y")));
}

TEST_P(StoreContract, ListsAreWholeAndInOrder) {
  for (const char* name : {"p/b", "p/a/2", "p/a/1", "q", "p-c", "pa"})
    store_->put_new(name, bytes("12"));
  const auto names = [&](const std::string& prefix) {
    std::string all;
    for (const StoredObject& object : store_->list(prefix)) {
      EXPECT_EQ(object.size, 2u);
      all += object.name + " ";
    }
    return all;
  };
  EXPECT_EQ(names(""), "p-c p/a/1 p/a/2 p/b pa q ");
  EXPECT_EQ(names("p/"), "p/a/1 p/a/2 p/b ");
  EXPECT_EQ(names("p/a"), "p/a/1 p/a/2 ");
  EXPECT_EQ(names("none"), "");
}

TEST_P(StoreContract, NamesAreChecked) {
  for (const char* name :
       {"", "/a", "a/", "a//b", "..", "a/../b", ".tmp/x", "a/.b", "A", "a b", "a\n"}) {
    EXPECT_THROW(store_->put_new(name, {}), std::invalid_argument) << name;
    EXPECT_THROW(store_->get(name, 0, 0), std::invalid_argument) << name;
    EXPECT_THROW(store_->remove(name), std::invalid_argument) << name;
  }
  EXPECT_THROW(store_->put_new(std::string(201, 'a'), {}), std::invalid_argument);
  EXPECT_TRUE(store_->put_new(std::string(200, 'a'), {}));
}

TEST_P(StoreContract, OfTwoThatPutTheSameNameOneHasPutIt) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "race/" + std::to_string(round);
    std::array<bool, 4> mine{};
    std::vector<std::thread> writers;
    for (size_t i = 0; i < mine.size(); ++i) {
      writers.emplace_back([&, i] { mine[i] = store_->put_new(name, bytes(std::to_string(i))); });
    }
    for (std::thread& writer : writers) writer.join();
    ASSERT_EQ(std::count(mine.begin(), mine.end(), true), 1);
    const auto winner = std::find(mine.begin(), mine.end(), true) - mine.begin();
    EXPECT_EQ(text(name), std::to_string(winner));
  }
}

}  // namespace fairsync
