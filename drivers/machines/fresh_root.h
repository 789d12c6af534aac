// The file system of a fresh machine: the host's root seen through an overlay whose upper layer
// is a capped tmpfs, everything that carries state replaced by something empty.
// Invariant: all mounts are made in a private mount namespace, so they end with its last process
// and the host's own mount table never changes.
#pragma once

#include <cstdint>
#include <string>

namespace fairwire {

inline constexpr const char* kMachineSelf = "/run/fairwire/fairwire";
inline constexpr const char* kMachineSync = "/run/fairwire/fairsync";
inline constexpr const char* kMachineWork = "/dev/shm/fairwire/work";
inline constexpr const char* kMachineStore = "/dev/shm/fairwire/store";

struct FreshRoot {
  std::string host_name;
  std::string self_binary;  ///< shows up at kMachineSelf, read-only; a fairsync beside it too
  std::string store;        ///< shows up at kMachineStore; empty: an empty folder
  bool store_writable = false;
  std::string home;  ///< made empty, as /root is; empty: only /root
  int64_t root_bytes = 0;
  int64_t work_bytes = 0;
};

/// Unshares the calling process's mount namespace, builds the root, moves into it and lets go of
/// the old one. To be called by the first process of a pid namespace (for its /proc).
/// Throws SystemError.
void enter_fresh_root(const FreshRoot& root);

}  // namespace fairwire
