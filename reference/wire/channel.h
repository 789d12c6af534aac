// Frames over one TLS connection. Invariant: send() passes whole frames on at once and may be
// called from any thread; receive() belongs to one thread and hands out one frame at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "reference/wire/frame.h"
#include "reference/wire/tls.h"

namespace fairsync {

struct Frame {
  FrameType type = FrameType::ping;
  Bytes payload;  // valid until the next receive()
};

class Channel {
 public:
  explicit Channel(std::unique_ptr<TlsStream> stream) : stream_(std::move(stream)) {}

  void send(const FrameBuilder& frames);
  /// nullopt when the other end closed between two frames. Throws ProtocolError, also for a
  /// payload above `limit` bytes and when nothing comes within `timeout`.
  std::optional<Frame> receive(size_t limit, Timeout timeout = std::nullopt);
  void try_send(const FrameBuilder& frames) noexcept { stream_->try_write(frames.view()); }
  void shut() noexcept { stream_->shut(); }

  uint64_t bytes_received() const { return received_.load(std::memory_order_relaxed); }
  uint64_t bytes_sent() const { return sent_.load(std::memory_order_relaxed); }

 private:
  bool fill(std::span<std::byte> buffer, Timeout timeout, bool may_end);

  std::unique_ptr<TlsStream> stream_;
  std::vector<std::byte> buffer_;
  std::atomic<uint64_t> received_ = 0;  // frames, before encryption
  std::atomic<uint64_t> sent_ = 0;
};

}  // namespace fairsync
