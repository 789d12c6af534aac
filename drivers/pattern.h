// A POSIX extended regular expression, as tool files have them.
#pragma once

#include <regex.h>

#include <string>

namespace fairwire {

/// Compiled; whether it is well formed is asked, never thrown.
class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : status_(::regcomp(&compiled_, text.c_str(), REG_EXTENDED)) {}
  ~Pattern() {
    if (valid()) ::regfree(&compiled_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool valid() const { return status_ == 0; }
  size_t groups() const { return compiled_.re_nsub; }
  const regex_t& get() const { return compiled_; }

 private:
  regex_t compiled_{};
  int status_;
};

}  // namespace fairwire
