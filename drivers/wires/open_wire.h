// The open wire: plain veth pairs without any emulation, one between every two machines, for
// what is bound by the tool rather than by the link. Each machine has one address and a host
// route to each peer. Its devices live in the machines' namespaces and go with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/wire.h"
#include "drivers/wires/network_conditions.h"
#include "drivers/wires/wire_end.h"

namespace fairwire {

struct OpenWireOptions {
  int mtu = 1500;
  NetworkConditions conditions;
};

/// At most 250 machines, numbered from 1 in the given order: number i is 10.77.0.i and, where the
/// host has IPv6, fd77::i. Its device towards peer P is "to-P" ("peerJ" where that is no valid
/// name). A pair's bytes are those of the sender's device: Ethernet header included, a packet of
/// up to 64 KiB counted as one, since offloads are on.
/// Throws SystemError when a machine is gone and ProtocolError with what `ip` said.
std::unique_ptr<Wire> make_open_wire(const std::vector<WireEnd>& ends,
                                     const OpenWireOptions& options = {});

}  // namespace fairwire
