// The emulated wire (docs/wire.md): access links and paths in user space, carried by a process of
// our own over one TUN device in each machine's namespace.
// Invariant: dropping the object, or killing its owner in any way, ends the forwarder, and the
// devices with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/wire.h"
#include "drivers/wires/emulator.h"
#include "drivers/wires/nat_router.h"
#include "drivers/wires/network_conditions.h"
#include "drivers/wires/wire_end.h"

namespace fairwire {

/// A rate and the queue before it. Without a queue: one bandwidth-delay product of the longest
/// round trip over it, at least 32 full segments and 1 ms.
struct LinkLimit {
  int64_t bits_per_second = 0;  ///< 0: no limit
  int64_t queue_bytes = 0;
  Nanoseconds queue_time{};  ///< used when queue_bytes is 0
  TraceModel trace = {};     ///< where it has a rate, its mean is that of the link
};

struct AccessLinks {
  std::string machine;
  LinkLimit up;
  LinkLimit down;
  NatOptions nat = {};  ///< a router between machine and link
};

/// One direction between two machines.
struct WirePath {
  std::string from;
  std::string to;
  Nanoseconds delay{};
  Nanoseconds jitter{};  ///< adds 0 … jitter, in order
  double loss = 0;       ///< share of segments, 0 … 1
  LinkLimit limit;
  BurstLoss burst = {};  ///< a trace of `limit` may hold delay and loss as well
};

struct TunWireOptions {
  std::string self_binary;  ///< the fairwire of this host, with the verb forward
  std::string token;        ///< owner_token()
  uint64_t seed = 0;
  std::vector<AccessLinks> access;  ///< machines that are not named have no limit
  std::vector<WirePath> paths;      ///< pairs that are not named have neither delay nor limit
  Nanoseconds late_bound = std::chrono::milliseconds(5);
  NetworkConditions conditions;
  int number = 0;       ///< of a wire inside of another: wire_address.h
  std::string gateway;  ///< the machine behind which the rest of the world is; empty: there is none
};

/// At most 32 machines, addresses as on the open wire. Bytes and packets of a pair are segments
/// that arrived, framing included; lateness is {median_us, p99_us, maximum_us, samples,
/// late_packets, device_drops, failed_writes, malformed, unaddressed, cpu_us}.
/// Call it on a thread that lives as long as the wire: the kernel ends the forwarder with it.
/// Throws std::invalid_argument for options that name no machine or have no meaning, SystemError
/// and ProtocolError with what the forwarder or `ip` said.
std::unique_ptr<Wire> make_tun_wire(const std::vector<WireEnd>& ends,
                                    const TunWireOptions& options);

}  // namespace fairwire
