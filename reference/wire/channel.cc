#include "reference/wire/channel.h"

namespace fairsync {

void Channel::send(const FrameBuilder& frames) {
  stream_->write(frames.view());
  sent_.fetch_add(frames.size(), std::memory_order_relaxed);
}

std::optional<Frame> Channel::receive(size_t limit, Timeout timeout) {
  std::array<std::byte, kFrameHeader> head;
  if (!fill(head, timeout, true)) return std::nullopt;
  const FrameHeader header = read_frame_header(head, limit);
  if (header.length > buffer_.size()) buffer_.resize(header.length);
  const std::span<std::byte> payload(buffer_.data(), header.length);
  fill(payload, timeout, false);
  return Frame{header.type, payload};
}

bool Channel::fill(std::span<std::byte> buffer, Timeout timeout, bool may_end) {
  size_t done = 0;
  while (done < buffer.size()) {
    const size_t count = stream_->read_some(buffer.subspan(done), timeout);
    if (count == 0 && done == 0 && may_end) return false;
    if (count == 0) throw ProtocolError("the other end closed the connection inside a message");
    done += count;
    received_.fetch_add(count, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace fairsync
