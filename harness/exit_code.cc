#include "harness/exit_code.h"

namespace fairwire {
namespace {

int rank(ExitCode code) {
  switch (code) {
    case ExitCode::good:
      return 0;
    case ExitCode::inconclusive:
      return 1;
    case ExitCode::regression:
      return 2;
    case ExitCode::not_measured:
      return 3;
    case ExitCode::mismatch:
      return 4;
    case ExitCode::usage:
      return 5;
    case ExitCode::interrupted:
      return 6;
  }
  return 0;
}

}  // namespace

ExitCode worse(ExitCode a, ExitCode b) {
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace fairwire
