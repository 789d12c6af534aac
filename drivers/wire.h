// A wire: the network between the machines of a testbed. It is attached to freshly built machines
// and goes with them; it says of itself what it carried, so that a late or lossy wire is known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "drivers/machine.h"

namespace fairwire {

/// What went from one machine to another since the wire was attached.
struct PairCount {
  std::string from;
  std::string to;
  int64_t bytes = 0;
  int64_t packets = 0;
  int64_t dropped_packets = 0;
};

struct WireReading {
  std::vector<PairCount> pairs;  ///< empty: this wire cannot tell pairs apart
  Json lateness;                 ///< null for a wire that delays nothing
};

/// Something that happens to a wire while it runs: docs/wire.md, "Changes while it runs".
struct WireChange {
  /// link-down, link-up, set-rate, set-delay, blackhole, restore; start-traces by the harness
  std::string what = {};
  std::string machine = {};  ///< of link-… and set-rate
  std::string from = {};     ///< of the others
  std::string to = {};
  int64_t up_bits_per_second = 0;  ///< of set-rate; 0: as it is
  int64_t down_bits_per_second = 0;
  Nanoseconds delay{};  ///< of set-delay
};

class Wire {
 public:
  virtual ~Wire() = default;

  /// Machine name → address at which the others reach it, in the order of the machines.
  virtual std::vector<std::pair<std::string, std::string>> addresses() const = 0;
  /// The address that a machine has itself: another one behind a router that translates.
  virtual std::string own_address(const std::string& machine) const {
    for (const auto& [name, address] : addresses()) {
      if (name == machine) return address;
    }
    return {};
  }
  /// What the record says of it: its kind, its settings, the buffers and congestion control that
  /// each end has.
  virtual Json conditions() const = 0;
  virtual WireReading read() = 0;
  /// Throws ProtocolError when it carries nothing any more.
  virtual void check() {}
  /// Throws ProtocolError where the wire cannot, or has no such machine.
  virtual void change(const WireChange& change) {
    throw ProtocolError("this wire cannot do " + change.what + ": it is not emulated");
  }
  /// Goodput in bytes/s that theory allows from one machine to another; 0: no bound.
  virtual int64_t theory_bytes_per_second(const std::string& from, const std::string& to) const = 0;
};

}  // namespace fairwire
