#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace fairwire {
namespace {

TEST(Errors, SayAttemptPlaceAndReason) {
  EXPECT_STREQ(SystemError("open", "f", EACCES).what(), "open f: Permission denied");
  EXPECT_STREQ(SystemError("fork", "", EAGAIN).what(), "fork: Resource temporarily unavailable");
  EXPECT_STREQ(FormatError("f", "/a", "is bad").what(), "f: /a: is bad");
  EXPECT_STREQ(FormatError("f", "", "is bad").what(), "f: is bad");
  EXPECT_STREQ(Interrupted().what(), "interrupted");
}

TEST(Errors, CheckSystemThrowsOnlyForMinusOne) {
  errno = EPERM;
  EXPECT_EQ(check_system(0, "x"), 0);
  EXPECT_EQ(check_system(7L, "x"), 7L);
  EXPECT_THROW(check_system(-1, "x"), SystemError);
}

}  // namespace
}  // namespace fairwire
