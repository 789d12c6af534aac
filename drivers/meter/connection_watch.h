// What the TCP connections of a network namespace used, by netlink sock_diag: read by polling,
// since the kernel's broadcast of closed sockets (SKNLGRP_INET_TCP_DESTROY) brings final counts but
// not the congestion control's name. Both are joined by the socket's cookie.
// Invariants: nothing is asked of the programs, and nothing changes for them; a poll costs what is
// open now, however many connections came before.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
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

struct ConnectionTotals {
  int64_t connections = 0;
  int64_t retransmissions = 0;                ///< segments
  int64_t bytes_received = 0;                 ///< TCP payload
  int64_t answered = 0;                       ///< connections on which more than one byte arrived
  std::map<std::string, int64_t> algorithms;  ///< name, or "unknown" → connections
};

class ConnectionWatch {
 public:
  /// Of the calling thread's network namespace, from now on: what is open already is left out, and
  /// so is what never leaves the machine. Connections that last 100 ms are seen with their
  /// algorithm when poll() is called that often. Throws SystemError (needs CAP_NET_ADMIN).
  ConnectionWatch();

  /// One reading of all connections, and what was broadcast since. Throws SystemError.
  void poll();
  /// Those open or opened since the last restart, each once.
  ConnectionTotals totals() const;
  /// Up to 4096 of them one by one, closed ones too.
  std::vector<ConnectionReading> connections() const;
  /// Forgets what was seen; what is open then is seen again by the next poll.
  void restart();

 private:
  void dump(int family);
  void hear();
  size_t take(const char* data, size_t size, bool closed);
  void take_socket(const char* data, size_t size, bool closed);
  void fold_closed();

  FileDescriptor asking_;
  FileDescriptor listening_;
  std::map<uint64_t, ConnectionReading> seen_;  // by the kernel's cookie
  std::set<uint64_t> left_out_;                 // open when the watch began
  ConnectionTotals folded_;                     // of closed ones that are no longer in seen_
  uint32_t sequence_ = 0;
};

}  // namespace fairwire
