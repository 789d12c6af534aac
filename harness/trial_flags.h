// What a trial's figures say about each other, as pure rules: do the tool's own counters and the
// kernel tell the same story, and was the transfer over before its connection had opened its
// window?
#pragma once

#include <string>

#include "base/clock.h"
#include "harness/testbed_spec.h"
#include "reports/record.h"

namespace fairwire {

/// Whether the counters of some reader cannot be true: TCP payload that arrived there minus what
/// its counters say must be 0 to 2 % of it and 64 KiB a connection (docs/results.md, "Flags").
/// Where a program ran more than once its last counters are not the whole, and nothing is said; so
/// where nobody counted connections.
bool sources_disagree(const TrialRecord& record);

/// How long slow start takes to fill this wire from one end to the other: a round trip for the
/// handshake, then the window doubles each round trip from ten segments (RFC 6928, RFC 5681) to the
/// bandwidth-delay product. Zero where no rate is stated.
Nanoseconds start_up_time(const WireSpec& wire, const std::string& from, const std::string& to);

}  // namespace fairwire
