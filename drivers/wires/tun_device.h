// A TUN device that speaks super-packets: IFF_VNET_HDR with checksum and segmentation offload as
// the kernel has them. It lives in the namespace in which it was made and goes with its object.
#pragma once

#include <string>

#include "base/file_descriptor.h"
#include "drivers/wires/segments.h"

namespace fairwire {

/// Packets waiting for the forwarder: nothing may be dropped before the model has seen it.
constexpr int kDeviceQueue = 10'000;

struct TunDevice {
  FileDescriptor file;  ///< non-blocking; a read or write is one packet with its virtio header
  bool udp_segmentation = false;
};

/// In the network namespace of the calling thread. Throws SystemError.
TunDevice open_tun(const std::string& name);

/// Writes header and payload as one packet; false when the device did not take it.
bool write_packet(const FileDescriptor& device, const CutChunk& chunk);

}  // namespace fairwire
