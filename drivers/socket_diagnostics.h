// What the TCP connections of a network namespace used, by netlink sock_diag: read by polling,
// since the kernel's broadcast of closed sockets (SKNLGRP_INET_TCP_DESTROY) brings final counts but
// not the congestion control's name. Both are joined by the socket's cookie.
// Invariant: nothing is asked of the programs, and nothing changes for them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/json.h"

namespace fairwire {

struct ConnectionReading {
  std::string local;  ///< "10.77.0.1:7001", "[fd77::1]:7001"
  std::string remote;
  std::string algorithm;  ///< empty: it was closed before a poll saw it
  int64_t bytes_acked = 0;
  int64_t bytes_received = 0;
  int64_t retransmissions = 0;  ///< segments
  Nanoseconds round_trip{};     ///< smoothed
  bool closed = false;
};

class ConnectionWatch {
 public:
  /// Of the network namespace of `pid`, from now on; connections that last 100 ms are seen with
  /// their algorithm when poll() is called that often. Throws SystemError (needs CAP_NET_ADMIN).
  explicit ConnectionWatch(pid_t pid);

  /// One reading of all connections, and what was broadcast since. Throws SystemError.
  void poll();
  /// All connections seen so far, also closed ones; listening sockets left out.
  std::vector<ConnectionReading> connections() const;

 private:
  void dump(int family);
  void hear();
  size_t take(const char* data, size_t size, bool closed);
  void take_socket(const char* data, size_t size, bool closed);

  FileDescriptor asking_;
  FileDescriptor listening_;
  std::map<uint64_t, ConnectionReading> seen_;  // by the kernel's cookie
  uint32_t sequence_ = 0;
};

/// {"connections":N,"algorithms":{"bbr":N,…},"retransmissions":N}; "unknown" for the unseen.
Json summary(const std::vector<ConnectionReading>& connections);

}  // namespace fairwire
