// Calibration of a run's wires, before its first trial and after its last: the probes of
// drivers/calibration.h carried out by the machines' own agents, on tuned buffers, and held against
// what the testbed declares. Invariant: nothing here reaches a machine but through its agent.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "drivers/calibration.h"
#include "harness/plan.h"
#include "harness/testbed.h"
#include "reports/record.h"

namespace fairwire {

/// What a plan sends between on one of its wires: the machines of a case's writer and a reader.
struct WirePair {
  std::string wire;
  std::string one;    ///< the writer
  std::string other;  ///< a reader

  auto operator<=>(const WirePair&) const = default;
};
/// Each once, in the order of the plan's cases; readers that are the writer itself are left out.
std::vector<WirePair> wire_pairs(const Plan& plan);

/// What the wire declares between the two.
DeclaredWire declared_wire(const WireSpec& wire, const std::string& one, const std::string& other);

/// One machine of every host among those of the pairs: namespaces share theirs.
std::vector<std::string> machines_to_probe(const TestbedSpec& testbed,
                                           const std::vector<WirePair>& pairs);

/// Reads one pair; a reading that is out of its bounds is repeated up to three times in all, since
/// a host may be busy for a second. Calls `record` for every reading; returns the figures of the
/// last one that are out, each in a line (empty: within bounds, or nothing is declared). Failures
/// are exceptions.
std::vector<std::string> calibrate_pair(Testbed& testbed, const WirePair& pair,
                                        const std::vector<std::string>& hosts,
                                        const std::function<void(CalibrationRecord)>& record);

}  // namespace fairwire
