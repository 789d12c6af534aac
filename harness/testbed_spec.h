// A testbed file (docs/testbed.md, schema 1): which machines there are, and which wires can be
// laid between them. The same plan runs on another testbed by --testbed FILE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "drivers/wires/emulator.h"
#include "drivers/wires/nat_router.h"

namespace fairwire {

struct MachineSpec {
  std::string name;
  std::string kind;  ///< local, netns, ssh, cloud
  // of netns
  int64_t root_bytes = 0;  ///< cap of what may be written outside of work; 0: the default
  int64_t work_bytes = 0;  ///< cap of work; 0: the default
  // of ssh
  std::string host;
  int64_t port = 22;
  std::string user;
  std::string identity_file;
  std::string host_key;   ///< "ssh-ed25519 AAAA…": pinned; empty: taken at first use, and noted
  std::string work_root;  ///< folder for our files there; empty: /dev/shm
  std::string address;    ///< numeric, at which its peers reach it (ssh and local)
  // of cloud
  std::string cloud;  ///< a file of drivers/clouds
};

/// One direction of an access link.
struct LinkSpec {
  int64_t bits_per_second = 0;  ///< 0: no limit
  int64_t queue_bytes = 0;      ///< 0: one bandwidth-delay product
  TraceModel trace = {};        ///< bits_per_second is its mean then
};

struct AccessSpec {
  std::string machine;  ///< "*": every machine
  LinkSpec up;
  LinkSpec down;
  NatOptions nat = {};
};

struct PathSpec {
  std::string from;  ///< "*": every machine
  std::string to;
  Nanoseconds delay{};  ///< one way
  Nanoseconds jitter{};
  double loss = 0;  ///< share of packets, 0 … 1
  BurstLoss burst = {};
  int64_t bits_per_second = 0;
  int64_t queue_bytes = 0;
  TraceModel trace = {};  ///< of rate, delay and loss
};

struct WireSpec {
  std::string name;
  std::string title;
  std::string kind;  ///< open (veth), tun (emulated), real (whatever is there)
  std::vector<AccessSpec> access;
  std::vector<PathSpec> paths;
  double round_trip_bound = 0.02;  ///< calibration: allowed relative deviation
  double goodput_bound = 0.02;
  Nanoseconds late_bound = std::chrono::milliseconds(5);  ///< p99 lateness of a valid trial

  bool has_traces() const;
  /// With every "*" resolved; of several lines that fit, the last one holds.
  AccessSpec access_of(const std::string& machine) const;
  PathSpec path_between(const std::string& from, const std::string& to) const;
};

/// TCP payload in bytes/s on a link of this rate, 1448 of every 1538 bytes; 0 stays 0
/// (docs/wire.md).
int64_t goodput_of(int64_t bits_per_second);

struct TestbedSpec {
  std::string file;
  std::string digest;
  std::string name;
  std::string title;
  std::vector<MachineSpec> machines;
  std::vector<WireSpec> wires;

  const MachineSpec* machine(const std::string& machine_name) const;
  const WireSpec* wire(const std::string& wire_name) const;
};

/// Throws FormatError{file, pointer, reason}.
TestbedSpec parse_testbed(const Json& json, const std::string& file);
TestbedSpec load_testbed(const std::string& path);

/// One of its wires, whatever machines there are.
WireSpec parse_wire(const JsonView& view);

/// "40mbit", "1gbit", "1000kbit", "8000bit" in bits per second; through `view` for errors.
int64_t parse_rate(const JsonView& view);

}  // namespace fairwire
