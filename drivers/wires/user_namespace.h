// Making networks without being root: a user namespace in which this process may.
#pragma once

namespace fairwire {

/// Does nothing where this process may make network namespaces already. Otherwise enters a user
/// namespace of its own, in which it keeps its user and group, and in which it and its children
/// have CAP_NET_ADMIN and CAP_SYS_ADMIN. Call it while there is one thread. Throws ProtocolError
/// with what forbids it and what would allow it.
void gain_network_rights();

}  // namespace fairwire
