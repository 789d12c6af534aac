// One table of exit codes for every verb (docs/cli.md), and the precedence between them.
#pragma once

#include <stdexcept>

namespace fairwire {

enum class ExitCode {
  good = 0,
  regression = 1,    ///< or a claim not supported
  usage = 2,         ///< usage, plan, testbed, tool or data-set file wrong
  mismatch = 3,      ///< something landed that is not what was sent
  not_measured = 4,  ///< unfit host or wire, harness error
  inconclusive = 5,
  interrupted = 130,
};

/// What the command line asked for makes no sense: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This host, or this version, cannot do it: exit 4. The message says what to type instead.
class UnfitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The one that wins: 130 > 2 > 3 > 4 > 1 > 5 > 0.
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace fairwire
