// How the machines and wires of a testbed are really built: the one place that knows every kind.
#pragma once

#include <memory>
#include <string>

#include "harness/testbed.h"
#include "harness/testbed_spec.h"

namespace fairwire {

/// What one run takes from this host besides machines: its folder (data sets, ssh sockets). It is
/// given back when the site goes; the next start sweeps it after a crash.
class Site {
 public:
  explicit Site(const TestbedSpec& testbed);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  Builders builders() const;

 private:
  struct Options;
  std::shared_ptr<Options> options_;
};

}  // namespace fairwire
