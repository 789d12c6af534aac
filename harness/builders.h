// How the machines and wires of a testbed are really built: the one place that knows every kind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/testbed.h"
#include "harness/testbed_spec.h"

namespace fairwire {

/// What one run takes from this host besides machines: its folder (data sets, ssh sockets). It is
/// given back when the site goes; the next start sweeps it after a crash.
class Site {
 public:
  /// `seed`: of loss and jitter on emulated wires.
  Site(const TestbedSpec& testbed, uint64_t seed);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  Builders builders() const;

 private:
  struct Options;
  std::shared_ptr<Options> options_;
};

}  // namespace fairwire
