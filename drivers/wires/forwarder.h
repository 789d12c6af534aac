// The process that carries the packets of an emulated wire: `fairwire forward JSON`. It makes one
// TUN device in each machine's namespace, runs the Emulator on them, and answers on stdout what is
// asked on stdin, in JSON lines.
// Invariants: it sleeps until the next packet is due, never spins; it ends when its input does.
//
//   it begins   {"ready":true,"priority":"fifo","idle":"awake","udp_segmentation":true}
//               or {"failed":"why"}
//   asked       {"call":"read"}, at most 4096 bytes a line
//               {"call":"change","what":"link-down","machine":0}, or with from, to, up, down
//               (bits/s) and delay_ns as docs/wire.md says; answered by {"changed":true}
//   it answers  {"pairs":[{"from":0,"to":1,"sent_bytes":…,"sent_segments":…,"bytes":…,
//               "segments":…,"up_queue":…,"loss":…,"path_queue":…,"down_queue":…,"write":…,
//               "link_down":…,"blackhole":…}],
//               "lateness":{…},"malformed":…,"unaddressed":…,"cpu_us":…}
//               pairs without traffic are left out
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/json.h"
#include "drivers/wires/emulator.h"

namespace fairwire {

struct ForwarderOptions {
  std::vector<pid_t> namespaces;  ///< a process in the network namespace of each machine
  WireModel model;
  Nanoseconds late_bound{};
  int number = 0;    ///< of the wire: wire_address.h
  int gateway = -1;  ///< the machine that gets what is addressed to nobody; -1: it is dropped
};

Json to_json(const ForwarderOptions& options);
/// Throws FormatError.
ForwarderOptions forwarder_options_from(const Json& json);

/// Serves until `input` ends or a signal arrives; what the process should return.
int run_forwarder(const Json& options, int input, int output);

}  // namespace fairwire
