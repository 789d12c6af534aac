// A file that must be refused: at which JSON pointer, and with which words.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "base/json.h"

namespace fairwire {

struct Refusal {
  const char* json;
  const char* pointer;
  const char* words;
};

inline void expect_refused(const Refusal& refusal, const std::function<void(const Json&)>& parse) {
  SCOPED_TRACE(refusal.json);
  try {
    parse(Json::parse(refusal.json, "file.json"));
    FAIL() << "was not refused";
  } catch (const FormatError& error) {
    EXPECT_EQ(error.file, "file.json");
    EXPECT_EQ(error.pointer, refusal.pointer);
    EXPECT_NE(error.reason.find(refusal.words), std::string::npos) << error.reason;
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
  }
}

}  // namespace fairwire
