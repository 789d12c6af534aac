// Socket buffers and congestion control as declared conditions of a wire: what is set in each
// namespace and on each route, and what a namespace then has.
// Invariant: nothing outside of the namespace changes.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/json.h"

namespace fairwire {

enum class Buffers {
  as_host,  ///< "default": what this host gives a fresh namespace
  tuned,    ///< maximum of tcp_rmem and tcp_wmem 128 MiB
};

struct NetworkConditions {
  Buffers buffers = Buffers::as_host;
  std::string congestion_control;  ///< of every route of the wire; empty: the namespace's default
  bool locked = false;             ///< a program may not choose another
  // For readings of a wire, never for a trial:
  bool routers_open = false;  ///< NAT routers let everything in
  bool ceiling = false;       ///< no rate, delay or loss: what this host can carry
};

/// Writes the buffer limits of the network namespace of `pid`. Throws SystemError.
void apply_buffers(const NetworkConditions& conditions, pid_t pid);

/// What `ip route add` takes for them: "", " congctl bbr", " congctl lock cubic". Throws
/// std::invalid_argument for a name that is no word.
std::string route_attributes(const NetworkConditions& conditions);

/// What the namespace of the calling thread has: tcp_congestion_control, tcp_rmem, tcp_wmem.
Json namespace_conditions();

/// {"buffers","congestion_control" (null: the default),"locked"}.
Json to_json(const NetworkConditions& conditions);

}  // namespace fairwire
