// Arbitrary bytes as a packet from a TUN device: refused, or cut into chunks that hold exactly its
// payload, each with its headers; never a crash nor more segments than bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "drivers/wires/segments.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fairwire::Packet packet;
  packet.size = size;
  packet.storage = std::make_unique<std::byte[]>(size + 1);
  if (size > 0) std::memcpy(packet.storage.get(), data, size);
  const auto shape = fairwire::parse_packet(packet.bytes());
  if (!shape) return 0;
  packet.shape = *shape;
  if (shape->segments < 1 || static_cast<size_t>(shape->segments) > size) std::abort();
  const int step = 1 + (size > 2 ? data[2] % 8 : 0);
  size_t payload = 0;
  for (int first = 0; first < shape->segments; first += step) {
    const int count = std::min(step, shape->segments - first);
    fairwire::CutChunk chunk;
    fairwire::cut_chunk(packet, first, count, chunk);
    if (chunk.header_size == 0) return chunk.payload.size() == size ? 0 : (std::abort(), 0);
    payload += chunk.payload.size();
    for (int i = first; i < first + count; ++i) {
      if (shape->segment_bytes(i) <= shape->header_bytes) std::abort();
    }
  }
  const auto whole = static_cast<size_t>(shape->ip_bytes - shape->header_bytes);
  if (payload != whole) std::abort();
  return 0;
}
