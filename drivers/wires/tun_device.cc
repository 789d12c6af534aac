#include "drivers/wires/tun_device.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/error.h"

namespace fairwire {
namespace {

// TUN_F_USO4 and TUN_F_USO6 of Linux 6.2, missing from Debian 12's headers.
constexpr unsigned kUdpSegmentation = 0x20 | 0x40;
constexpr unsigned kOffloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;

iovec part(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

}  // namespace

TunDevice open_tun(const std::string& name) {
  TunDevice device;
  device.file = open_file("/dev/net/tun", O_RDWR | O_NONBLOCK);
  const int fd = device.file.get();
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  check_system(::ioctl(fd, TUNSETIFF, &request), "make the TUN device", name);
  const int header = kVirtioHeader;
  check_system(::ioctl(fd, TUNSETVNETHDRSZ, &header), "set the header of", name);
  device.udp_segmentation = ::ioctl(fd, TUNSETOFFLOAD, kOffloads | kUdpSegmentation) == 0;
  if (!device.udp_segmentation) {
    check_system(::ioctl(fd, TUNSETOFFLOAD, kOffloads), "set the offloads of", name);
  }
  const int no_limit = INT_MAX;
  check_system(::ioctl(fd, TUNSETSNDBUF, &no_limit), "set the buffer of", name);
  return device;
}

bool write_packet(const FileDescriptor& device, const CutChunk& chunk) {
  const std::array<iovec, 2> parts = {part(chunk.header()), part(chunk.payload)};
  const bool whole = chunk.header_size == 0;
  ssize_t count = -1;
  do {
    count = ::writev(device.get(), parts.data() + (whole ? 1 : 0), whole ? 1 : 2);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(chunk.header_size + chunk.payload.size());
}

}  // namespace fairwire
