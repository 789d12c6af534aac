#include "reports/sources.h"

#include <gtest/gtest.h>

#include "tests/reports/records_for_tests.h"

namespace fairwire {
namespace {

TEST(Sources, CountersAreMediansAReaderAndSource) {
  TrialRecord first = testing_records::pull("c", "v", 1, 2.0);
  first.sources = {{"writer", "direct", 10, 1000, "reader", 50},
                   {"reader-2", "direct", 4, 400, "reader"}};
  TrialRecord second = testing_records::pull("c", "v", 2, 4.0);
  second.sources = {{"writer", "direct", 20, 3000, "reader", 70}};
  const auto shares = source_shares({&first, &second});
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].source, "reader-2");
  EXPECT_EQ(shares[1].source, "writer");
  EXPECT_EQ(shares[1].blocks, 15);
  EXPECT_EQ(shares[1].bytes, 2000);
  EXPECT_EQ(shares[1].duplicate_bytes, 60);
  EXPECT_EQ(shares[1].seconds, 3.0);
}

TEST(Sources, WithoutCountersTheWireSaysIt) {
  TrialRecord trial = testing_records::pull("c", "v", 1, 2.0);
  trial.wires.push_back({"reader-2", "reader", 500, 3, 0});
  trial.wires.push_back({"reader-3", "reader", 0, 0, 0});
  const auto shares = source_shares({&trial});
  ASSERT_EQ(shares.size(), 2u) << "not towards the writer, and not what sent nothing";
  EXPECT_EQ(shares[0].source, "reader-2");
  EXPECT_EQ(shares[0].bytes, 500);
  EXPECT_FALSE(shares[0].blocks.has_value());
  EXPECT_EQ(shares[1].source, "writer");
}

TEST(Sources, WhatTheWriterSentIsByTheWire) {
  TrialRecord trial = testing_records::pull("c", "v", 1, 2.0);
  trial.wires = {{"writer", "reader", 700, 1, 0},
                 {"writer", "reader-2", 300, 1, 0},
                 {"reader", "writer", 50, 1, 0},
                 {"reader", "reader-2", 400, 1, 0}};
  EXPECT_EQ(writer_sent_bytes({&trial}), 1000);
  trial.wires.clear();
  EXPECT_FALSE(writer_sent_bytes({&trial}).has_value());
}

TEST(Sources, AToolWithCountersIsNeverFilledUpFromTheWire) {
  TrialRecord counted = testing_records::pull("c", "v", 1, 2.0);
  counted.sources = {{"writer", "direct", 10, 1000, "reader"}};
  const TrialRecord silent = testing_records::pull("c", "v", 2, 2.0);
  const auto shares = source_shares({&counted, &silent});
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].bytes, 1000);
}

}  // namespace
}  // namespace fairwire
