// `fairwire link`: a command behind an emulated link, without a plan. Two bare network namespaces
// (same root, same processes) and a tun wire between them; COMMAND runs in one, a peer command, if
// given, in the other. Each finds the other's address in $FAIRWIRE_PEER and its own in
// $FAIRWIRE_SELF. Inside of a link, without a peer command, the other end is the network that we
// are called in: what COMMAND sends crosses both links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "drivers/wires/tun_wire.h"

namespace fairwire {

struct LinkOptions {
  std::string self_binary;
  LinkLimit up;              ///< from COMMAND to its peer
  LinkLimit down;            ///< and back
  Nanoseconds round_trip{};  ///< half of it each way
  Nanoseconds jitter{};      ///< each way
  double loss = 0;           ///< share of segments, each way
  BurstLoss burst;           ///< each way
  uint64_t seed = 1;
  bool tuned_buffers = false;
  std::string congestion_control;  ///< empty: this host's
  NatKind nat = NatKind::none;     ///< a router before COMMAND's side
  NatKind peer_nat = NatKind::none;
  std::string peer;  ///< a command in one string; empty: none
  std::vector<std::string> command;
};

/// COMMAND has our stdin, stdout and stderr; the peer has stdout and stderr, and /dev/null to read.
/// The peer starts first and is stopped (SIGTERM, after 2 s SIGKILL) when COMMAND ends, as is
/// whatever the two left running. The wire's report is written to stderr. Returns COMMAND's exit
/// code, 128 + N when signal N ended it. Throws as make_tun_wire, gain_network_rights, Interrupted,
/// and ProtocolError when the wire fails meanwhile. Call it while there is one thread.
int run_link(const LinkOptions& options);

/// Words of `text` as a shell would see them, without a shell: blanks separate; '…' keeps
/// everything; "…" keeps all but a backslash before " or \; outside, a backslash keeps the next
/// character. No variables, globs or operators. Throws FormatError for a quote that stays open.
std::vector<std::string> split_words(std::string_view text);

/// "80ms", "1.5s", "250us". Throws FormatError.
Nanoseconds parse_duration(std::string_view text);

}  // namespace fairwire
